import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../../contract/page.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import { InstantColumn } from "../../column-schemas.ts"
import { ChannelAccount, type search_channel_accounts } from "./contract.ts"

/** Which accounts a search means; what is not given does not narrow it. */
type ChannelAccountSearch = Pick<typeof search_channel_accounts.payloadSchema.Type, "id" | "channel_type">

const ChannelAccountRow = Schema.Struct({ ...ChannelAccount.fields, created_at: InstantColumn })
export type ChannelAccountRow = typeof ChannelAccountRow.Type

const toSearchParameters = (operatorId: number, { id, channel_type }: ChannelAccountSearch) => ({
  operatorId,
  id,
  channel_type
})

const search = (sql: SqlClient.SqlClient): ChannelAccountStore["Service"]["search"] => {
  const selectPage = makePageReader(
    sql,
    ChannelAccountRow,
    ({ operatorId, id, channel_type }: Givens<ReturnType<typeof toSearchParameters>>) => {
      // The host's own site is no account that a caller could do anything about.
      const conditions = [sql`operator_id = ${operatorId}`, sql`channel_type <> 'booking_site'`]
      if (id !== undefined) conditions.push(sql`id = ${id}`)
      if (channel_type !== undefined) conditions.push(sql`channel_type = ${channel_type}`)
      return { matchingRows: sql`SELECT * FROM channel_accounts WHERE ${sql.and(conditions)}`, orderBy: sql`id` }
    }
  )
  return (operatorId, filter, pageRequest) => selectPage(toSearchParameters(operatorId, filter), pageRequest)
}

/** The SQL of finding accounts at channels. */
export class ChannelAccountStore extends Context.Service<
  ChannelAccountStore,
  {
    /** Returns a page of the accounts, oldest first, without the one of the host's own booking site. */
    readonly search: (
      operatorId: number,
      filter: ChannelAccountSearch,
      pageRequest: Page
    ) => Effect.Effect<RowPage<ChannelAccountRow>>
  }
>()("latchkey/domain/channels/channel-accounts/ChannelAccountStore") {
  static readonly layer = Layer.effect(
    ChannelAccountStore,
    Effect.map(SqlClient.SqlClient, (sql) => ChannelAccountStore.of({ search: search(sql) }))
  )
}

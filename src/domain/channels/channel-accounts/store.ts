import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import { InstantColumn } from "../../column-schemas.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { ChannelAccount, type search_channel_accounts } from "./contract.ts"

type ChannelAccountSearch = Pick<typeof search_channel_accounts.payloadSchema.Type, "id" | "channel_type">

const ChannelAccountRow = Schema.Struct({ ...ChannelAccount.fields, created_at: InstantColumn })
type ChannelAccountRow = typeof ChannelAccountRow.Type

const search = (sql: SqlClient.SqlClient): ChannelAccountStore["Service"]["search"] => {
  const selectPage = makePageReader(
    sql,
    ChannelAccountRow,
    ({ operatorId, id, channel_type }: OperatorScoped & ChannelAccountSearch) => {
      // The host cannot manage the account of the host's own booking site.
      const conditions = [
        sql`operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}`,
        sql`channel_type <> 'booking_site'`
      ]
      if (id !== undefined) conditions.push(sql`id = ${id}`)
      if (channel_type !== undefined)
        conditions.push(sql`channel_type = ${genericPlanParameter(sql, "text", channel_type)}`)
      return { matchingRows: sql`SELECT * FROM channel_accounts WHERE ${sql.and(conditions)}`, orderBy: sql`id` }
    }
  )
  return (operatorId, filter, pageRequest) => selectPage({ ...filter, operatorId }, pageRequest)
}

export class ChannelAccountStore extends Context.Service<
  ChannelAccountStore,
  {
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

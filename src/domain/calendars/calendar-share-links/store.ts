import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter, idsParameter } from "../../../platform/database/parameters.ts"
import { reserveId } from "../../../platform/database/reserved-id.ts"
import {
  makeOptionalRowReader,
  makeRowsReader,
  makeSingleRowReader,
  type RowPage
} from "../../../platform/database/rows.ts"
import { CurrentSealer, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { linkTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import type { RowId } from "../../column-schemas.ts"
import { makeDeleteRecord, type OperatorScoped } from "../../operator-rows.ts"
import {
  allReferencesExistCondition,
  type CheckedChange,
  CheckedChangeRow,
  ownershipPreconditionsSql
} from "../../properties/properties/ownership.ts"
import { findSecretUrlOwner, hashToken } from "../../secret-urls.ts"
import { CalendarShareLink, type search_calendar_share_links } from "./contract.ts"

type ShareLinkSearch = Pick<typeof search_calendar_share_links.payloadSchema.Type, "id">

export const ShareLinkRow = Schema.Struct({
  ...Struct.omit(CalendarShareLink.fields, ["url"]),
  token: Schema.String,
  created_at: Schema.Date
})
export type ShareLinkRow = typeof ShareLinkRow.Type

type NewShareLink = Pick<ShareLinkRow, "token" | "created_at">

/** `token` is encrypted for this `id`, so it cannot be decrypted in another row. */
interface SealedShareLink extends NewShareLink {
  readonly id: number
  readonly digest: Uint8Array
}

const sealNewLink = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { seal }: SecretSealer,
  operatorId: number,
  { token, created_at }: NewShareLink
): Effect.fn.Return<SealedShareLink> {
  const id = yield* reserveId(sql, "calendar_share_links")
  return { id, token: seal(linkTokenBinding(operatorId, id), token), digest: hashToken(token), created_at }
})

const OpenedLinkRow = Schema.Struct({
  operator_id: Schema.Int,
  ...Struct.pick(CalendarShareLink.fields, ["id", "scope"]),
  time_zone: Schema.String
})
type OpenedLinkRow = typeof OpenedLinkRow.Type

export type ShareLinkKey = Omit<OpenedLinkRow, "time_zone">

/** Besides the days, a link reveals only these data of a property. */
const SharedPropertySummary = Schema.Struct({
  id: Schema.Int,
  title: Schema.String
})
export type SharedPropertySummary = typeof SharedPropertySummary.Type

const readLink = makeSingleRowReader(ShareLinkRow)
const readCreatedPartialLink = makeSingleRowReader(CheckedChangeRow)
const readOpenedLink = makeOptionalRowReader(OpenedLinkRow)
const readProperties = makeRowsReader(SharedPropertySummary)
const readTotal = makeSingleRowReader(Schema.Struct({ total: Schema.Int }))

const search = (sql: SqlClient.SqlClient): ShareLinkStore["Service"]["search"] => {
  const selectPage = makePageReader(
    sql,
    ShareLinkRow,
    ({ operatorId, id }: OperatorScoped & { readonly id: number | undefined }) => ({
      matchingRows: sql`
        SELECT * FROM calendar_share_links
        WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND ${id === undefined ? sql`true` : sql`id = ${id}`}`,
      orderBy: sql`id`
    }),
    {
      property_ids: sql`ARRAY(
        SELECT named.property_id FROM calendar_share_link_properties named
        WHERE named.operator_id = page.operator_id AND named.link_id = page.id
        ORDER BY named.property_id)`
    }
  )
  return (operatorId, { id }, pageRequest) => selectPage({ operatorId, id }, pageRequest)
}

/** The no-op update on conflict returns the existing link, even one that a concurrent call inserts. */
const createEntire =
  (sql: SqlClient.SqlClient, seals: SecretSealer): ShareLinkStore["Service"]["createEntire"] =>
  (operatorId, link) =>
    Effect.flatMap(sealNewLink(sql, seals, operatorId, link), ({ id, token, digest, created_at }) =>
      readLink(
        recordChange(sql, {
          change: sql`
            link AS (
              INSERT INTO calendar_share_links (operator_id, id, scope, token, token_digest, created_at)
              OVERRIDING SYSTEM VALUE
              VALUES (${operatorId}, ${id}, 'entire', ${token}, ${digest}, ${created_at})
              ON CONFLICT (operator_id) WHERE scope = 'entire' DO UPDATE SET scope = 'entire'
              RETURNING operator_id, id, scope, token, created_at
            )`,
          events: [],
          changedRecords: sql`${createdOrDeletedRecordsSql(sql, "calendar_share_link", "link")} WHERE token = ${token}`,
          outcome: sql`SELECT id, scope, token, ARRAY[]::bigint[] AS property_ids, created_at FROM link`
        })
      )
    )

interface NewPartialLink extends NewShareLink, Pick<ShareLinkRow, "property_ids"> {}

interface PartialLinkCreation extends CheckedChange, Pick<ShareLinkRow, "token"> {}

const createPartial =
  (sql: SqlClient.SqlClient, seals: SecretSealer): ShareLinkStore["Service"]["createPartial"] =>
  (operatorId, { property_ids, ...link }) =>
    Effect.flatMap(sealNewLink(sql, seals, operatorId, link), ({ id, token, digest, created_at }) =>
      Effect.map(
        readCreatedPartialLink(
          recordChange(sql, {
            change: sql`
              ${ownershipPreconditionsSql(sql, operatorId, { property_ids })},
              written AS (
                INSERT INTO calendar_share_links (operator_id, id, scope, token, token_digest, created_at)
                OVERRIDING SYSTEM VALUE
                SELECT ${operatorId}::bigint, ${id}::bigint, 'partial', ${token}::text, ${digest}::bytea, ${created_at}::timestamptz
                FROM preconditions WHERE ${allReferencesExistCondition(sql)}
                RETURNING operator_id, id, scope, token, created_at
              ), named AS (
                INSERT INTO calendar_share_link_properties (operator_id, link_id, property_id)
                SELECT written.operator_id, written.id, given.id
                FROM written, unnest(${idsParameter(property_ids)}::bigint[]) AS given (id)
              )`,
            events: [],
            changedRecords: createdOrDeletedRecordsSql(sql, "calendar_share_link", "written"),
            // Has all columns of `ShareLinkRow`, because the idempotency key stores this row.
            outcome: sql`
              SELECT written.id, written.scope, written.token, written.created_at,
                ${idsParameter(property_ids)}::bigint[] AS property_ids, preconditions.*
              FROM preconditions LEFT JOIN written ON true`
          })
        ),
        (written) => ({ ...written, token })
      )
    )

const remove = (sql: SqlClient.SqlClient): ShareLinkStore["Service"]["remove"] =>
  makeDeleteRecord(
    sql,
    "calendar_share_link",
    ({ operatorId, id }) =>
      sql`DELETE FROM calendar_share_links WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

const findByToken = (sql: SqlClient.SqlClient): ShareLinkStore["Service"]["findByToken"] => {
  const findOwner = findSecretUrlOwner(sql)
  return (token) =>
    Effect.flatMap(findOwner(token), (owner) =>
      owner === undefined
        ? Effect.undefined
        : readOpenedLink(sql`
          SELECT link.operator_id, link.id, link.scope, operator.time_zone
          FROM calendar_share_links link JOIN operators operator ON operator.id = link.operator_id
          WHERE link.operator_id = ${owner.operatorId} AND link.id = ${owner.id} AND link.token_digest = ${owner.digest}
            AND operator.status = 'active'`)
    )
}

const linkPropertyIdsSql = (sql: SqlClient.SqlClient, { operator_id, id, scope }: ShareLinkKey): Fragment =>
  scope === "entire"
    ? sql`SELECT id FROM properties WHERE operator_id = ${operator_id}`
    : sql`
      SELECT property_id AS id FROM calendar_share_link_properties
      WHERE operator_id = ${operator_id} AND link_id = ${id}`

/** Separate from `listProperties`, because counting 100,000 properties blocks the embedded database for about 30 ms. */
const countProperties =
  (sql: SqlClient.SqlClient): ShareLinkStore["Service"]["countProperties"] =>
  (link) =>
    Effect.map(
      readTotal(sql`SELECT count(*) AS total FROM (${linkPropertyIdsSql(sql, link)}) properties`),
      (row) => row.total
    )

/** Finds the first property of the page in the index. A plain OFFSET blocks the embedded database twice as long. */
const listProperties =
  (sql: SqlClient.SqlClient): ShareLinkStore["Service"]["listProperties"] =>
  (link, { offset, limit }) =>
    readProperties(sql`
      SELECT property.id, property.title FROM properties property
      WHERE property.operator_id = ${link.operator_id}
        AND property.id >= (SELECT id FROM (${linkPropertyIdsSql(sql, link)}) each ORDER BY id LIMIT 1 OFFSET ${offset})
        AND ${link.scope === "entire" ? sql`true` : sql`property.id IN (${linkPropertyIdsSql(sql, link)})`}
      ORDER BY property.id LIMIT ${limit}`)

export class ShareLinkStore extends Context.Service<
  ShareLinkStore,
  {
    readonly search: (
      operatorId: number,
      filter: ShareLinkSearch,
      pageRequest: Page
    ) => Effect.Effect<RowPage<ShareLinkRow>>
    readonly createEntire: (operatorId: number, link: NewShareLink) => Effect.Effect<ShareLinkRow, never, CurrentActor>
    readonly createPartial: (
      operatorId: number,
      link: NewPartialLink
    ) => Effect.Effect<PartialLinkCreation, never, CurrentActor>
    readonly remove: (
      operatorId: number,
      id: number
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly findByToken: (token: string) => Effect.Effect<OpenedLinkRow | undefined>
    readonly countProperties: (link: ShareLinkKey) => Effect.Effect<number>
    readonly listProperties: (link: ShareLinkKey, page: Page) => Effect.Effect<ReadonlyArray<SharedPropertySummary>>
  }
>()("latchkey/domain/calendars/calendar-share-links/ShareLinkStore") {
  static readonly layer = Layer.effect(
    ShareLinkStore,
    Effect.map(Effect.all([SqlClient.SqlClient, CurrentSealer]), ([sql, seals]) =>
      ShareLinkStore.of({
        search: search(sql),
        createEntire: createEntire(sql, seals),
        createPartial: createPartial(sql, seals),
        remove: remove(sql),
        findByToken: findByToken(sql),
        countProperties: countProperties(sql),
        listProperties: listProperties(sql)
      })
    )
  )
}

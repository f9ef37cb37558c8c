import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecord, touchedIn } from "../../changes/on-record.ts"
import type { Page } from "../../contract/page.ts"
import { idsParameter } from "../../database/parameters.ts"
import { onlyRowOf, paged, pageRowsOf, rowOf, rowsOf } from "../../database/rows.ts"
import { allKnown, preconditions, Written } from "../properties/belonging.ts"
import { CalendarShareLink, type search_calendar_share_links } from "./contract.ts"

/** Which links a search means; what is not given does not narrow it. */
export type LinkSearch = Pick<typeof search_calendar_share_links.payloadSchema.Type, "id">

/** A link with its token in place of its address. */
export const LinkRow = Schema.Struct({
  ...Struct.omit(CalendarShareLink.fields, ["url"]),
  token: Schema.String,
  created_at: Schema.Date
})
export type LinkRow = typeof LinkRow.Type

export type NewLink = Pick<LinkRow, "token" | "created_at">

/** A link that opens something, and the zone of the merchant. */
const Opened = Schema.Struct({
  operator_id: Schema.Int,
  ...Struct.pick(CalendarShareLink.fields, ["id", "scope"]),
  time_zone: Schema.String
})

/** What tells one link from another, and which properties it has. */
export type LinkKey = Omit<typeof Opened.Type, "time_zone">

/** What the holder of a link may see of a property beside its days. Nothing else leaves this service. */
const NamedProperty = Schema.Struct({
  /** Only to tell properties apart; not to be shown. */
  id: Schema.Int,
  title: Schema.String
})
export type NamedProperty = typeof NamedProperty.Type

const readPage = pageRowsOf(LinkRow)
const readLink = onlyRowOf(LinkRow)
const readWritten = onlyRowOf(Written)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readOpened = rowOf(Opened)
const readNamed = rowsOf(NamedProperty)
const readTotal = onlyRowOf(Schema.Struct({ total: Schema.Int }))

const search = (sql: SqlClient.SqlClient) => (operatorId: number, wanted: LinkSearch, page: Page) =>
  readPage(sql`
    ${paged(sql, {
      matching: sql`
        SELECT * FROM calendar_share_links
        WHERE operator_id = ${operatorId} AND ${wanted.id === undefined ? sql`true` : sql`id = ${wanted.id}`}`,
      orderBy: sql`id`,
      ...page
    })}
    SELECT counted.total, page.position, page.id, page.scope, page.token, page.created_at, ARRAY(
      SELECT named.property_id FROM calendar_share_link_properties named
      WHERE named.operator_id = page.operator_id AND named.link_id = page.id
      ORDER BY named.property_id) AS property_ids
    FROM counted LEFT JOIN page ON true
    ORDER BY page.position`)

/**
 * The operator's one link to everything, made now unless it exists. An insert that meets one, also one that another
 * call is just making, updates it to what it is: only so does the statement see it. The token says whether it is new.
 */
const entire = (sql: SqlClient.SqlClient) => (operatorId: number, link: NewLink) =>
  readLink(
    onRecord(sql, {
      change: sql`
        link AS (
          INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
          VALUES (${operatorId}, 'entire', ${link.token}, ${link.created_at})
          ON CONFLICT (operator_id) WHERE scope = 'entire' DO UPDATE SET scope = 'entire'
          RETURNING operator_id, id, scope, token, created_at
        )`,
      events: [],
      touched: sql`${touchedIn(sql, "calendar_share_link", "link")} WHERE token = ${link.token}`,
      outcome: sql`SELECT id, scope, token, ARRAY[]::bigint[] AS property_ids, created_at FROM link`
    })
  )

const partial = (sql: SqlClient.SqlClient) => (operatorId: number, link: NewLink & Pick<LinkRow, "property_ids">) =>
  readWritten(
    onRecord(sql, {
      change: sql`
        ${preconditions(sql, operatorId, link)},
        written AS (
          INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
          SELECT ${operatorId}::bigint, 'partial', ${link.token}::text, ${link.created_at}::timestamptz
          FROM preconditions WHERE ${allKnown(sql)}
          RETURNING operator_id, id, scope, token, created_at
        ), named AS (
          INSERT INTO calendar_share_link_properties (operator_id, link_id, property_id)
          SELECT written.operator_id, written.id, given.id
          FROM written, unnest(${idsParameter(link.property_ids)}::bigint[]) AS given (id)
        )`,
      events: [],
      touched: touchedIn(sql, "calendar_share_link", "written"),
      // A LinkRow, for the key, beside what was unknown.
      outcome: sql`
        SELECT written.id, written.scope, written.token, written.created_at,
          ${idsParameter(link.property_ids)}::bigint[] AS property_ids, preconditions.*
        FROM preconditions LEFT JOIN written ON true`
    })
  )

/** Answers the deleted link's id, or undefined when there is none. */
const remove = (sql: SqlClient.SqlClient) => (operatorId: number, id: number) =>
  readIdentity(
    onRecord(sql, {
      change: sql`
        deleted AS (
          DELETE FROM calendar_share_links WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
      events: [],
      touched: touchedIn(sql, "calendar_share_link", "deleted"),
      outcome: sql`SELECT id FROM deleted`
    })
  )

/** The link that has a token; undefined when there is none, or the account behind it is banned or closed. */
const open = (sql: SqlClient.SqlClient) => (token: string) =>
  readOpened(sql`
    SELECT link.operator_id, link.id, link.scope, operator.time_zone
    FROM calendar_share_links link JOIN operators operator ON operator.id = link.operator_id
    WHERE link.token = ${token} AND operator.status = 'active'`)

/** The ids of the properties of a link: a query. */
const propertyIdsOf = (sql: SqlClient.SqlClient, { operator_id, id, scope }: LinkKey): Fragment =>
  scope === "entire"
    ? sql`SELECT id FROM properties WHERE operator_id = ${operator_id}`
    : sql`
      SELECT property_id AS id FROM calendar_share_link_properties
      WHERE operator_id = ${operator_id} AND link_id = ${id}`

/**
 * How many properties a link has. Not said along with them: the embedded database is busy with a hundred thousand for
 * thirty milliseconds here and again there, and lets others have their turn only between two statements.
 */
const total = (sql: SqlClient.SqlClient) => (link: LinkKey) =>
  Effect.map(readTotal(sql`SELECT count(*) AS total FROM (${propertyIdsOf(sql, link)}) properties`), (row) => row.total)

/**
 * Some of the properties of a link, in the order they were added. Where they begin is found in the index, and they are
 * read on from there: all that comes before, read and left out, would keep the embedded database busy twice as long.
 */
const properties = (sql: SqlClient.SqlClient) => (link: LinkKey, page: Page) =>
  readNamed(sql`
    SELECT property.id, property.title FROM properties property
    WHERE property.operator_id = ${link.operator_id}
      AND property.id >= (SELECT id FROM (${propertyIdsOf(sql, link)}) each ORDER BY id LIMIT 1 OFFSET ${page.offset})
      AND ${link.scope === "entire" ? sql`true` : sql`property.id IN (${propertyIdsOf(sql, link)})`}
    ORDER BY property.id LIMIT ${page.limit}`)

/** The SQL of share links, and of the properties each of them opens. */
export class ShareLinkStore extends Context.Service<ShareLinkStore>()("latchkey/resources/ShareLinkStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    entire: entire(sql),
    partial: partial(sql),
    remove: remove(sql),
    open: open(sql),
    total: total(sql),
    properties: properties(sql)
  }))
}) {
  static readonly layer = Layer.effect(ShareLinkStore, ShareLinkStore.make)
}

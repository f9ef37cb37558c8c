import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedIn } from "../../../changes/on-record.ts"
import type { Page } from "../../../contract/page.ts"
import { drawnId } from "../../../platform/database/drawn-id.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { linkToken } from "../../../platform/sealing/places.ts"
import { Sealing, type Seals } from "../../../platform/sealing/Sealing.ts"
import { addressOwner, digestOfToken, type OwnedAddress } from "../../addresses.ts"
import { type OfOperator, removal } from "../../own-row.ts"
import { allKnown, preconditions, Written } from "../../properties/properties/belonging.ts"
import { CalendarShareLink, type search_calendar_share_links } from "./contract.ts"

/** Which links a search means; what is not given does not narrow it. */
export type LinkSearch = Pick<typeof search_calendar_share_links.payloadSchema.Type, "id">

/** A link with its token, as it is kept, in place of its address. */
export const LinkRow = Schema.Struct({
  ...Struct.omit(CalendarShareLink.fields, ["url"]),
  token: Schema.String,
  created_at: Schema.Date
})
export type LinkRow = typeof LinkRow.Type

export type NewLink = Pick<LinkRow, "token" | "created_at">

/** A link whose id was drawn, to which its token is sealed. */
interface DrawnLink extends NewLink {
  readonly id: number
  readonly digest: Uint8Array
}

const drawn = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { seal }: Seals,
  operatorId: number,
  { token, created_at }: NewLink
): Effect.fn.Return<DrawnLink> {
  const id = yield* drawnId(sql, "calendar_share_links")
  return { id, token: seal(linkToken(operatorId, id), token), digest: digestOfToken(token), created_at }
})

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

const readLink = onlyRowOf(LinkRow)
const readWritten = onlyRowOf(Written)
const readOpened = rowOf(Opened)
const readNamed = rowsOf(NamedProperty)
const readTotal = onlyRowOf(Schema.Struct({ total: Schema.Int }))

const search = (sql: SqlClient.SqlClient) => {
  const page = pagesOf(
    sql,
    LinkRow,
    ({ operatorId, id }: Givens<OfOperator & { readonly id: number | undefined }>) => ({
      matching: sql`
      SELECT * FROM calendar_share_links
      WHERE operator_id = ${operatorId} AND ${id === undefined ? sql`true` : sql`id = ${id}`}`,
      orderBy: sql`id`,
      columns: {
        property_ids: sql`ARRAY(
        SELECT named.property_id FROM calendar_share_link_properties named
        WHERE named.operator_id = page.operator_id AND named.link_id = page.id
        ORDER BY named.property_id)`
      }
    })
  )
  return (operatorId: number, { id }: LinkSearch, asked: Page) => page({ operatorId, id }, asked)
}

/**
 * The operator's one link to everything, made now unless it exists. An insert that meets one, also one that another
 * call is just making, updates it to what it is: only so does the statement see it. The token says whether it is new.
 */
const entire = (sql: SqlClient.SqlClient, seals: Seals) => {
  const statement = onRecordInForms(
    sql,
    ({ operatorId, id, token, digest, created_at }: Givens<OfOperator & DrawnLink>) => ({
      change: sql`
      link AS (
        INSERT INTO calendar_share_links (operator_id, id, scope, token, token_digest, created_at)
        OVERRIDING SYSTEM VALUE
        VALUES (${operatorId}, ${id}, 'entire', ${token}, ${digest}, ${created_at})
        ON CONFLICT (operator_id) WHERE scope = 'entire' DO UPDATE SET scope = 'entire'
        RETURNING operator_id, id, scope, token, created_at
      )`,
      events: [],
      touched: sql`${touchedIn(sql, "calendar_share_link", "link")} WHERE token = ${token}`,
      outcome: sql`SELECT id, scope, token, ARRAY[]::bigint[] AS property_ids, created_at FROM link`
    })
  )
  return (operatorId: number, link: NewLink) =>
    Effect.flatMap(drawn(sql, seals, operatorId, link), (kept) => readLink(statement({ operatorId, ...kept })))
}

/** A link to some of the properties. */
interface PartialLink extends NewLink, Pick<LinkRow, "property_ids"> {}

const partial = (sql: SqlClient.SqlClient, seals: Seals) => {
  const statement = onRecordInForms(
    sql,
    ({ operatorId, id, token, digest, created_at, property_ids }: Givens<OfOperator & PartialLink & DrawnLink>) => ({
      change: sql`
        ${preconditions(sql, operatorId, { property_ids })},
        written AS (
          INSERT INTO calendar_share_links (operator_id, id, scope, token, token_digest, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${operatorId}::bigint, ${id}::bigint, 'partial', ${token}::text, ${digest}::bytea, ${created_at}::timestamptz
          FROM preconditions WHERE ${allKnown(sql)}
          RETURNING operator_id, id, scope, token, created_at
        ), named AS (
          INSERT INTO calendar_share_link_properties (operator_id, link_id, property_id)
          SELECT written.operator_id, written.id, given.id
          FROM written, unnest(${idsParameter(property_ids)}::bigint[]) AS given (id)
        )`,
      events: [],
      touched: touchedIn(sql, "calendar_share_link", "written"),
      // A LinkRow, for the key, beside what was unknown.
      outcome: sql`
        SELECT written.id, written.scope, written.token, written.created_at,
          ${idsParameter(property_ids)}::bigint[] AS property_ids, preconditions.*
        FROM preconditions LEFT JOIN written ON true`
    })
  )
  /** With the token as it is kept, also where nothing was written. */
  return (operatorId: number, { property_ids, ...link }: PartialLink) =>
    Effect.flatMap(drawn(sql, seals, operatorId, link), (kept) =>
      Effect.map(readWritten(statement({ operatorId, property_ids, ...kept })), (written) => ({
        ...written,
        token: kept.token
      }))
    )
}

/** Answers the deleted link's id, or undefined when there is none. */
const remove = (sql: SqlClient.SqlClient) =>
  removal(
    sql,
    "calendar_share_link",
    ({ operatorId, id }) =>
      sql`DELETE FROM calendar_share_links WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

/** The link that has a token; undefined when there is none, or the account behind it is banned or closed. */
const open = (sql: SqlClient.SqlClient) => {
  const ownerOf = addressOwner(sql)
  const statement = inForms(
    sql,
    ({ operatorId, id, digest }: Givens<OwnedAddress>) => sql`
      SELECT link.operator_id, link.id, link.scope, operator.time_zone
      FROM calendar_share_links link JOIN operators operator ON operator.id = link.operator_id
      WHERE link.operator_id = ${operatorId} AND link.id = ${id} AND link.token_digest = ${digest}
        AND operator.status = 'active'`
  )
  return (token: string) =>
    Effect.flatMap(ownerOf(token), (owned) => (owned === undefined ? Effect.undefined : readOpened(statement(owned))))
}

/** The ids of the properties of a link: a query. */
const propertyIdsOf = (
  sql: SqlClient.SqlClient,
  { operator_id, id }: Givens<Omit<LinkKey, "scope">>,
  scope: LinkKey["scope"]
): Fragment =>
  scope === "entire"
    ? sql`SELECT id FROM properties WHERE operator_id = ${operator_id}`
    : sql`
      SELECT property_id AS id FROM calendar_share_link_properties
      WHERE operator_id = ${operator_id} AND link_id = ${id}`

/**
 * How many properties a link has. Not said along with them: the embedded database is busy with a hundred thousand for
 * thirty milliseconds here and again there, and lets others have their turn only between two statements.
 */
const total = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    (link: Givens<Omit<LinkKey, "scope">>, scope: LinkKey["scope"]) =>
      sql`SELECT count(*) AS total FROM (${propertyIdsOf(sql, link, scope)}) properties`
  )
  return ({ operator_id, id, scope }: LinkKey) =>
    Effect.map(readTotal(statement({ operator_id, id }, scope)), (row) => row.total)
}

/**
 * Some of the properties of a link, in the order they were added. Where they begin is found in the index, and they are
 * read on from there: all that comes before, read and left out, would keep the embedded database busy twice as long.
 */
const properties = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    (wanted: Givens<Omit<LinkKey, "scope"> & Page>, scope: LinkKey["scope"]) => sql`
      SELECT property.id, property.title FROM properties property
      WHERE property.operator_id = ${wanted.operator_id}
        AND property.id >= (
          SELECT id FROM (${propertyIdsOf(sql, wanted, scope)}) each ORDER BY id LIMIT 1 OFFSET ${wanted.offset})
        AND ${scope === "entire" ? sql`true` : sql`property.id IN (${propertyIdsOf(sql, wanted, scope)})`}
      ORDER BY property.id LIMIT ${wanted.limit}`
  )
  return ({ operator_id, id, scope }: LinkKey, { offset, limit }: Page) =>
    readNamed(statement({ operator_id, id, offset, limit }, scope))
}

/** The SQL of share links, and of the properties each of them opens. */
export class ShareLinkStore extends Context.Service<ShareLinkStore>()("latchkey/resources/ShareLinkStore", {
  make: Effect.map(Effect.all([SqlClient.SqlClient, Sealing]), ([sql, seals]) => ({
    search: search(sql),
    entire: entire(sql, seals),
    partial: partial(sql, seals),
    remove: remove(sql),
    open: open(sql),
    total: total(sql),
    properties: properties(sql)
  }))
}) {
  static readonly layer = Layer.effect(ShareLinkStore, ShareLinkStore.make)
}

import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../contract/page.ts"
import { idsParameter } from "../../database/parameters.ts"
import { onlyRowOf, paged, pageRowsOf, rowOf, rowsOf } from "../../database/rows.ts"
import { unknownProperties } from "../properties/belonging.ts"
import { Scope } from "./contract.ts"

const LinkRow = Schema.Struct({
  id: Schema.Int,
  scope: Scope,
  token: Schema.String,
  propertyIds: Schema.Array(Schema.Int),
  createdAt: Schema.Date
})
export type LinkRow = typeof LinkRow.Type

/** A new link, or the ids that are no properties of the operator and kept it from being made. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), unknownProperties: Schema.Array(Schema.Int) })

/** A link that opens something. */
const Opened = Schema.Struct({ operatorId: Schema.Int, id: Schema.Int, scope: Scope, timeZone: Schema.String })

type LinkKey = Pick<typeof Opened.Type, "operatorId" | "id" | "scope">

const Named = Schema.Struct({ id: Schema.Int, title: Schema.String })

const readPage = pageRowsOf(LinkRow)
const readLink = onlyRowOf(LinkRow)
const readWritten = onlyRowOf(Written)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readOpened = rowOf(Opened)
const readNamed = rowsOf(Named)
const readTotal = onlyRowOf(Schema.Struct({ total: Schema.Int }))

export class ShareLinkStore extends Context.Service<ShareLinkStore>()("latchkey/resources/ShareLinkStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const search = (operatorId: number, wanted: { readonly id: number | undefined }, page: Page) =>
      readPage(sql`
        ${paged(sql, {
          matching: sql`
            SELECT * FROM calendar_share_links
            WHERE operator_id = ${operatorId} AND ${wanted.id === undefined ? sql`true` : sql`id = ${wanted.id}`}`,
          orderBy: sql`id`,
          ...page
        })}
        SELECT counted.total, page.position, page.id, page.scope, page.token, page.created_at AS "createdAt", ARRAY(
          SELECT named.property_id FROM calendar_share_link_properties named
          WHERE named.operator_id = page.operator_id AND named.link_id = page.id
          ORDER BY named.property_id) AS "propertyIds"
        FROM counted LEFT JOIN page ON true
        ORDER BY page.position`)

    /**
     * The operator's one link to everything, made now unless it exists. An insert that meets one, also one that another
     * call is just making, updates it to what it is: only so does the statement see it.
     */
    const entire = (operatorId: number, token: string, now: Date) =>
      readLink(sql`
        INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
        VALUES (${operatorId}, 'entire', ${token}, ${now})
        ON CONFLICT (operator_id) WHERE scope = 'entire' DO UPDATE SET scope = 'entire'
        RETURNING id, scope, token, ARRAY[]::bigint[] AS "propertyIds", created_at AS "createdAt"`)

    const partial = (operatorId: number, propertyIds: ReadonlyArray<number>, token: string, now: Date) =>
      readWritten(sql`
        WITH ground AS (SELECT ${unknownProperties(sql, operatorId, propertyIds)} AS unknown),
        written AS (
          INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
          SELECT ${operatorId}::bigint, 'partial', ${token}::text, ${now}::timestamptz
          FROM ground WHERE ground.unknown = '{}'
          RETURNING operator_id, id
        ), named AS (
          INSERT INTO calendar_share_link_properties (operator_id, link_id, property_id)
          SELECT written.operator_id, written.id, given.id
          FROM written, unnest(${idsParameter(propertyIds)}::bigint[]) AS given (id)
        )
        SELECT written.id, ground.unknown AS "unknownProperties" FROM ground LEFT JOIN written ON true`)

    /** Answers the deleted link's id, or undefined when there is none. */
    const remove = (operatorId: number, id: number) =>
      readIdentity(sql`DELETE FROM calendar_share_links WHERE operator_id = ${operatorId} AND id = ${id} RETURNING id`)

    /** The link that has a token; undefined when there is none, or the account behind it is banned or closed. */
    const open = (token: string) =>
      readOpened(sql`
        SELECT link.operator_id AS "operatorId", link.id, link.scope, operator.time_zone AS "timeZone"
        FROM calendar_share_links link JOIN operators operator ON operator.id = link.operator_id
        WHERE link.token = ${token} AND operator.status = 'active'`)

    const idsOf = ({ operatorId, id, scope }: LinkKey) =>
      scope === "entire"
        ? sql`SELECT id FROM properties WHERE operator_id = ${operatorId}`
        : sql`
          SELECT property_id AS id FROM calendar_share_link_properties
          WHERE operator_id = ${operatorId} AND link_id = ${id}`

    /**
     * How many properties a link has. Not said along with them: the embedded database is busy with a hundred thousand for
     * thirty milliseconds here and again there, and lets others have their turn only between two statements.
     */
    const total = (link: LinkKey) =>
      Effect.map(readTotal(sql`SELECT count(*) AS total FROM (${idsOf(link)}) properties`), (row) => row.total)

    /**
     * Some of the properties of a link, in the order they were added. Where they begin is found in the index, and they are
     * read on from there: all that comes before, read and left out, would keep the embedded database busy twice as long.
     */
    const properties = (link: LinkKey, page: Page) =>
      readNamed(sql`
        SELECT property.id, property.title FROM properties property
        WHERE property.operator_id = ${link.operatorId}
          AND property.id >= (SELECT id FROM (${idsOf(link)}) each ORDER BY id LIMIT 1 OFFSET ${page.offset})
          AND ${link.scope === "entire" ? sql`true` : sql`property.id IN (${idsOf(link)})`}
        ORDER BY property.id LIMIT ${page.limit}`)

    return { search, entire, partial, remove, open, total, properties }
  })
}) {
  static readonly layer = Layer.effect(ShareLinkStore, ShareLinkStore.make)
}

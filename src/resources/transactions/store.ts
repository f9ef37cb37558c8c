import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { idsParameter, loweredOnce } from "../../database/parameters.ts"
import { paged, pageRowsOf, rowOf, rowsOf } from "../../database/rows.ts"
import { recordEvent } from "../../events/events.ts"
import { orderAsRead, type ReadOrder } from "../reservations/order-as-read.ts"
import { Direction } from "./contract.ts"
import type { Dictionary } from "./dictionaries.ts"
import type { Share } from "./rules.ts"

// The SQL of income and expense entries. A read is one statement; a change is two: one that reads what the rules need,
// one that changes, splits and records at once.

/** Which entries a search means; what is undefined does not narrow it. */
export interface Search {
  readonly id: number | undefined
  readonly instants: { readonly from: Date; readonly until: Date } | undefined
  readonly propertyId: number | undefined
  readonly orderCode: string | undefined
  readonly direction: Direction | undefined
  readonly itemId: number | undefined
  readonly paymentMethodId: number | undefined
  readonly currency: string | undefined
  readonly keyword: string | undefined
}

const Amount = Schema.FiniteFromString

const EntryRow = Schema.Struct({
  id: Schema.Int,
  direction: Direction,
  amount: Amount,
  currency: Schema.String,
  itemId: Schema.Int,
  itemName: Schema.NullOr(Schema.String),
  paymentMethodId: Schema.Int,
  paymentMethodName: Schema.NullOr(Schema.String),
  actionAt: Schema.Date,
  note: Schema.String,
  operatorName: Schema.String,
  status: Schema.Literals(["paid", "outstanding"]),
  propertyId: Schema.NullOr(Schema.Int),
  propertyTitle: Schema.NullOr(Schema.String),
  reservationCode: Schema.NullOr(Schema.String),
  shares: Schema.Array(Schema.Struct({ property_id: Schema.NullOr(Schema.Int), amount: Schema.Finite })),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type EntryRow = typeof EntryRow.Type

const Stays = Schema.Array(Schema.Struct({ id: Schema.Int, revenue: Schema.String }))

/** What the rules need to know before an entry is created. */
const Ground = Schema.Struct({
  propertyKnown: Schema.Boolean,
  itemKnown: Schema.Boolean,
  methodKnown: Schema.Boolean,
  orderId: Schema.NullOr(Schema.Int),
  orderCurrency: Schema.NullOr(Schema.String),
  stays: Stays
})

/** What the rules need to know before an entry is changed. */
const Existing = Schema.Struct({
  direction: Direction,
  currency: Schema.String,
  propertyId: Schema.NullOr(Schema.Int),
  orderId: Schema.NullOr(Schema.Int),
  reservationCode: Schema.NullOr(Schema.String),
  ownItem: Schema.Boolean,
  ownMethod: Schema.Boolean,
  stays: Stays
})

const DictionaryRow = Schema.Struct({ id: Schema.Int, name: Schema.String })
const Identity = Schema.Struct({ id: Schema.Int })

const readPage = pageRowsOf(EntryRow)
const readGround = rowOf(Ground)
const readExisting = rowOf(Existing)
const readDictionary = rowsOf(DictionaryRow)
const readIdentity = rowOf(Identity)

export interface NewEntry {
  readonly direction: Direction
  readonly amount: string
  readonly currency: string
  readonly itemId: number
  readonly paymentMethodId: number
  readonly actionAt: Date
  readonly note: string
  readonly propertyId: number | null
  readonly order: ReadOrder | undefined
  readonly status: "paid" | "outstanding"
  readonly operatorName: string
  readonly shares: ReadonlyArray<Share>
}

/** The columns an edit sets; what is undefined stays. */
export interface Edit {
  readonly amount: string | undefined
  readonly itemId: number | undefined
  readonly paymentMethodId: number | undefined
  readonly actionAt: Date | undefined
  readonly status: "paid" | "outstanding" | undefined
  readonly note: string | undefined
  /** The order the shares were worked out from; undefined when they stay. */
  readonly order: ReadOrder | undefined
  readonly shares: ReadonlyArray<Share>
}

export class TransactionStore extends Context.Service<TransactionStore>()("latchkey/resources/TransactionStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The order a code names: its own, or that of any of its stays. */
    const orderOf = (operatorId: number, code: string): Fragment => sql`(
      SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
      UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code})`

    const conditions = (operatorId: number, search: Search): ReadonlyArray<Fragment> => {
      const all: Array<Fragment> = [sql`t.operator_id = ${operatorId}`]
      if (search.id !== undefined) all.push(sql`t.id = ${search.id}`)
      if (search.instants !== undefined) {
        all.push(sql`t.action_at >= ${search.instants.from} AND t.action_at < ${search.instants.until}`)
      }
      if (search.propertyId !== undefined) {
        all.push(sql`(t.property_id = ${search.propertyId} OR t.order_id IN (
          SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND property_id = ${search.propertyId}))`)
      }
      if (search.orderCode !== undefined) all.push(sql`t.order_id IN ${orderOf(operatorId, search.orderCode)}`)
      if (search.direction !== undefined) all.push(sql`t.direction = ${search.direction}`)
      if (search.itemId !== undefined) all.push(sql`t.item_id = ${search.itemId}`)
      if (search.paymentMethodId !== undefined) all.push(sql`t.payment_method_id = ${search.paymentMethodId}`)
      if (search.currency !== undefined) all.push(sql`t.currency = ${search.currency}`)
      if (search.keyword !== undefined) {
        all.push(sql`position(${loweredOnce(sql, search.keyword)} in lower(t.note)) > 0`)
      }
      return all
    }

    const search = (operatorId: number, wanted: Search, page: Page) =>
      readPage(sql`${paged(sql, {
        matching: sql`SELECT t.* FROM transactions t WHERE ${sql.and(conditions(operatorId, wanted))}`,
        orderBy: sql`action_at DESC, id DESC`,
        ...page
      })}
        SELECT counted.total, page.position, page.id, page.direction, page.amount, page.currency, page.status, page.note,
          page.item_id AS "itemId", item.name AS "itemName",
          page.payment_method_id AS "paymentMethodId", method.name AS "paymentMethodName",
          page.action_at AS "actionAt", page.operator_name AS "operatorName",
          page.created_at AS "createdAt", page.updated_at AS "updatedAt",
          orders.reservation_code AS "reservationCode",
          property.id AS "propertyId", property.title AS "propertyTitle",
          coalesce(split.shares, '[]') AS shares
        FROM counted LEFT JOIN page ON true
        LEFT JOIN orders ON orders.operator_id = page.operator_id AND orders.id = page.order_id
        LEFT JOIN LATERAL (
          SELECT jsonb_agg(jsonb_build_object('property_id', stay.property_id, 'amount', share.amount) ORDER BY stay.id) AS shares,
            CASE WHEN min(stay.property_id) = max(stay.property_id) THEN min(stay.property_id) END AS property_id
          FROM transaction_shares share
          JOIN stays stay ON stay.operator_id = share.operator_id AND stay.id = share.stay_id
          WHERE share.operator_id = page.operator_id AND share.transaction_id = page.id
        ) split ON page.order_id IS NOT NULL
        LEFT JOIN properties property
          ON property.operator_id = page.operator_id AND property.id = coalesce(page.property_id, split.property_id)
        LEFT JOIN dictionary_entries item ON item.operator_id = page.operator_id AND item.id = page.item_id
          AND item.dictionary = page.direction || '_items'
        LEFT JOIN dictionary_entries method ON method.operator_id = page.operator_id AND method.id = page.payment_method_id
          AND method.dictionary = page.direction || '_methods'
        ORDER BY page.position`)

    /** Whether the property and the order a search names exist; asked only when the search found nothing. */
    const known = (operatorId: number, wanted: Pick<Search, "propertyId" | "orderCode">) =>
      readKnown(sql`SELECT
        ${wanted.propertyId === undefined ? sql`true` : propertyExists(operatorId, wanted.propertyId)} AS property,
        ${wanted.orderCode === undefined ? sql`true` : sql`EXISTS ${orderOf(operatorId, wanted.orderCode)}`} AS "order"`)

    const propertyExists = (operatorId: number, id: number): Fragment =>
      sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id})`

    const entryExists = (operatorId: number, dictionary: Fragment, id: number | null): Fragment =>
      id === null
        ? sql`false`
        : sql`EXISTS (SELECT FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${dictionary} AND id = ${id})`

    const staysOf = (order: Fragment): Fragment => sql`coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', stay.id, 'revenue', stay.accommodation_revenue::text) ORDER BY stay.id)
      FROM stays stay WHERE stay.operator_id = ${order}.operator_id AND stay.order_id = ${order}.id), '[]')`

    const ground = (
      operatorId: number,
      wanted: {
        readonly propertyId: number | undefined
        readonly orderCode: string | undefined
        readonly item: { readonly dictionary: Dictionary; readonly id: number }
        readonly method: { readonly dictionary: Dictionary; readonly id: number }
      }
    ) =>
      readGround(sql`
        SELECT
          ${wanted.propertyId === undefined ? sql`true` : propertyExists(operatorId, wanted.propertyId)} AS "propertyKnown",
          ${entryExists(operatorId, sql`${wanted.item.dictionary}`, wanted.item.id)} AS "itemKnown",
          ${entryExists(operatorId, sql`${wanted.method.dictionary}`, wanted.method.id)} AS "methodKnown",
          o.id AS "orderId", o.currency AS "orderCurrency", ${staysOf(sql`o`)} AS stays
        FROM (SELECT 1) one
        LEFT JOIN orders o ON ${
          wanted.orderCode === undefined
            ? sql`false`
            : sql`o.operator_id = ${operatorId} AND o.id IN ${orderOf(operatorId, wanted.orderCode)}`
        }`)

    const sharesInto = (shares: ReadonlyArray<Share>, entry: Fragment): Fragment => sql`
      INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
      SELECT entry.operator_id, entry.id, share.stay_id, share.amount
      FROM ${entry} entry, unnest(${idsParameter(shares.map((share) => share.stayId))}::bigint[],
        ${shares.map((share) => share.amount)}::numeric[])
        AS share (stay_id, amount)
      ON CONFLICT (operator_id, transaction_id, stay_id) DO UPDATE SET amount = excluded.amount`

    const recorded = (
      name: "transaction_created" | "transaction_updated" | "transaction_deleted",
      from: Fragment,
      at: Date
    ) =>
      recordEvent(sql, name, {
        from,
        record: sql`'transaction:' || id`,
        fields: { transaction_id: sql`id` },
        at
      })

    /** Answers the new entry's id, or undefined when its order is not as it was read any more. */
    const create = (operatorId: number, entry: NewEntry, now: Date) =>
      readIdentity(sql`
        WITH ${orderAsRead(sql, operatorId, entry.order)}, entry AS (
          INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
            property_id, order_id, status, operator_name, created_at, updated_at)
          SELECT ${operatorId}, ${entry.direction}, ${entry.amount}::numeric, ${entry.currency}, ${entry.itemId}::bigint,
            ${entry.paymentMethodId}::bigint, ${entry.actionAt}::timestamptz, ${entry.note}, ${entry.propertyId}::bigint,
            ${entry.order?.id ?? null}::bigint, ${entry.status}, ${entry.operatorName}, ${now}::timestamptz,
            ${now}::timestamptz
          FROM as_read
          RETURNING operator_id, id
        ), shares AS (${sharesInto(entry.shares, sql`entry`)}),
        recorded AS (${recorded("transaction_created", sql`entry`, now)})
        SELECT id FROM entry`)

    const existing = (
      operatorId: number,
      id: number,
      wanted: { readonly itemId: number | undefined; readonly paymentMethodId: number | undefined }
    ) =>
      readExisting(sql`
        SELECT t.direction, t.currency, t.order_id AS "orderId", o.reservation_code AS "reservationCode",
          coalesce(t.property_id, (
            SELECT CASE WHEN min(s.property_id) = max(s.property_id) THEN min(s.property_id) END
            FROM stays s WHERE s.operator_id = t.operator_id AND s.order_id = t.order_id)) AS "propertyId",
          ${entryExists(operatorId, sql`t.direction || '_items'`, wanted.itemId ?? null)} AS "ownItem",
          ${entryExists(operatorId, sql`t.direction || '_methods'`, wanted.paymentMethodId ?? null)} AS "ownMethod",
          ${staysOf(sql`o`)} AS stays
        FROM transactions t LEFT JOIN orders o ON o.operator_id = t.operator_id AND o.id = t.order_id
        WHERE t.operator_id = ${operatorId} AND t.id = ${id}`)

    /** Answers the entry's id, or undefined when it was deleted or its order is not as it was read any more. */
    const update = (operatorId: number, id: number, edit: Edit, now: Date) =>
      readIdentity(sql`
        WITH ${orderAsRead(sql, operatorId, edit.order)}, entry AS (
          UPDATE transactions SET
            amount = coalesce(${edit.amount ?? null}::numeric, amount),
            item_id = coalesce(${edit.itemId ?? null}::bigint, item_id),
            payment_method_id = coalesce(${edit.paymentMethodId ?? null}::bigint, payment_method_id),
            action_at = coalesce(${edit.actionAt ?? null}::timestamptz, action_at),
            status = coalesce(${edit.status ?? null}::text, status),
            note = coalesce(${edit.note ?? null}::text, note),
            updated_at = ${now}
          WHERE operator_id = ${operatorId} AND id = ${id} AND EXISTS (SELECT FROM as_read)
          RETURNING operator_id, id
        ), shares AS (${sharesInto(edit.shares, sql`entry`)}),
        recorded AS (${recorded("transaction_updated", sql`entry`, now)})
        SELECT id FROM entry`)

    /** Answers the deleted entry's id, or undefined when there is none. */
    const remove = (operatorId: number, id: number, now: Date) =>
      readIdentity(sql`
        WITH entry AS (
          DELETE FROM transactions WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id
        ), recorded AS (${recorded("transaction_deleted", sql`entry`, now)})
        SELECT id FROM entry`)

    const dictionary = (operatorId: number, name: Dictionary) =>
      readDictionary(sql`
        SELECT id, name FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${name}`)

    return { search, known, ground, create, existing, update, remove, dictionary }
  })
}) {
  static readonly layer = Layer.effect(TransactionStore, TransactionStore.make)
}

const readKnown = rowOf(Schema.Struct({ property: Schema.Boolean, order: Schema.Boolean }))

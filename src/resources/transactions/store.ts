import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedBetween, touchedIn } from "../../changes/on-record.ts"
import type { Page } from "../../contract/page.ts"
import { column, givenRow, namesOf, settingsOf } from "../../database/columns.ts"
import { type Givens, inForms, partOf, type Value } from "../../database/forms.ts"
import { pagesOf, selectedOf } from "../../database/pages.ts"
import { jsonParameter, loweredOnce } from "../../database/parameters.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../database/rows.ts"
import { recordEvent } from "../../events/events.ts"
import { orderAsRead, type ReadOrder } from "../orders/table.ts"
import { propertyKnown } from "../properties/belonging.ts"
import { Amount, Identity, Instant } from "../row-fields.ts"
import { DictionaryRow, type search_transactions, Transaction } from "./contract.ts"
import type { Dictionary } from "./dictionaries.ts"
import type { Share } from "./rules.ts"
import { writeShares } from "./shares.ts"

// The SQL of income and expense entries. A read is one statement; a change is two: one that reads what the rules need,
// one that changes, splits and records at once.

type Sql = SqlClient.SqlClient

type Filters = "id" | "property_id" | "direction" | "item_id" | "payment_method_id" | "currency" | "keyword"

/** Which entries a search means; what is undefined does not narrow it. */
export interface TransactionSearch extends Pick<typeof search_transactions.payloadSchema.Type, Filters> {
  readonly instants: { readonly from: Date; readonly until: Date } | undefined
  /** A code of the order, or of any of its stays. */
  readonly order_code: string | undefined
}

/** An entry as it is shown, but for the names of the built-in dictionaries. */
const TransactionRow = Schema.Struct({
  ...Transaction.fields,
  amount: Amount,
  action_at: Instant,
  created_at: Instant,
  updated_at: Instant
})

const StayWeights = Schema.Array(Schema.Struct({ id: Schema.Int, revenue: Schema.String }))

/** What the rules need to know before an entry is created. */
const Preconditions = Schema.Struct({
  property_known: Schema.Boolean,
  item_known: Schema.Boolean,
  method_known: Schema.Boolean,
  order_id: Schema.NullOr(Schema.Int),
  order_currency: Schema.NullOr(Schema.String),
  stays: StayWeights
})

/** The entry before a change, and what the rules need to know beside it. */
const ExistingTransaction = Schema.Struct({
  ...TransactionRow.fields,
  order_id: Schema.NullOr(Schema.Int),
  item_known: Schema.Boolean,
  method_known: Schema.Boolean,
  stays: StayWeights
})

const readPreconditions = onlyRowOf(Preconditions)
const readExisting = rowOf(ExistingTransaction)
const readDictionary = rowsOf(DictionaryRow)
const readIdentity = rowOf(Identity)
const readKnown = onlyRowOf(Schema.Struct({ property: Schema.Boolean, order: Schema.Boolean }))

/** The columns an edit sets. */
const EditedTransaction = Schema.Struct({
  amount: column("numeric", Schema.String),
  item_id: column("bigint", Transaction.fields.item_id),
  payment_method_id: column("bigint", Transaction.fields.payment_method_id),
  action_at: column("timestamptz", Schema.Date),
  status: column("text", Transaction.fields.status),
  note: column("text", Transaction.fields.note)
})
/** What is undefined stays. */
export type TransactionEdit = {
  readonly [Column in keyof typeof EditedTransaction.Type]?: (typeof EditedTransaction.Type)[Column] | undefined
}

/** The columns a new entry fills. */
const GivenTransaction = Schema.Struct({
  ...EditedTransaction.fields,
  direction: column("text", Transaction.fields.direction),
  currency: column("text", Transaction.fields.currency),
  property_id: column("bigint", Transaction.fields.property_id),
  order_id: column("bigint", Schema.NullOr(Schema.Int)),
  operator_name: column("text", Transaction.fields.operator_name)
})
export type NewTransaction = Omit<typeof GivenTransaction.Type, "order_id">

/** How an entry is split over its order as it was read; without an order it is not, or stays as it is. */
export interface Split {
  readonly order: ReadOrder | undefined
  readonly shares: ReadonlyArray<Share>
}

/** An entry of one of the dictionaries. */
interface DictionaryId {
  readonly dictionary: Dictionary
  readonly id: number
}

/** The order a code names: its own, or that of any of its stays. */
const orderOf = (sql: Sql, operatorId: Value<number>, code: Value<string>): Fragment => sql`(
  SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
  UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code})`

/** The values of a search; what is undefined does not narrow it. */
const valuesOf = (operatorId: number, wanted: TransactionSearch) => ({
  operatorId,
  id: wanted.id,
  from: wanted.instants?.from,
  until: wanted.instants?.until,
  property_id: wanted.property_id,
  order_code: wanted.order_code,
  direction: wanted.direction,
  item_id: wanted.item_id,
  payment_method_id: wanted.payment_method_id,
  currency: wanted.currency,
  keyword: wanted.keyword
})
type SearchValues = Givens<ReturnType<typeof valuesOf>>

const conditions = (sql: Sql, { operatorId, ...wanted }: SearchValues): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = [sql`t.operator_id = ${operatorId}`]
  if (wanted.id !== undefined) all.push(sql`t.id = ${wanted.id}`)
  if (wanted.from !== undefined) all.push(sql`t.action_at >= ${wanted.from}`)
  if (wanted.until !== undefined) all.push(sql`t.action_at < ${wanted.until}`)
  if (wanted.property_id !== undefined) {
    all.push(sql`(t.property_id = ${wanted.property_id} OR t.order_id IN (
      SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND property_id = ${wanted.property_id}))`)
  }
  if (wanted.order_code !== undefined) all.push(sql`t.order_id IN ${orderOf(sql, operatorId, wanted.order_code)}`)
  if (wanted.direction !== undefined) all.push(sql`t.direction = ${wanted.direction}`)
  if (wanted.item_id !== undefined) all.push(sql`t.item_id = ${wanted.item_id}`)
  if (wanted.payment_method_id !== undefined) all.push(sql`t.payment_method_id = ${wanted.payment_method_id}`)
  if (wanted.currency !== undefined) all.push(sql`t.currency = ${wanted.currency}`)
  if (wanted.keyword !== undefined) {
    all.push(sql`position(${loweredOnce(sql, wanted.keyword)} in lower(t.note)) > 0`)
  }
  return all
}

/** What an entry in `page` shows of what {@link joined} adds. */
const shown = (sql: Sql) => ({
  item_name: sql`item.name`,
  payment_method_name: sql`method.name`,
  link_type: sql`CASE WHEN page.order_id IS NOT NULL THEN 'reservation' WHEN page.property_id IS NOT NULL THEN 'property'
    ELSE 'operator' END`,
  property_id: sql`property.id`,
  property_title: sql`property.title`,
  reservation_code: sql`orders.reservation_code`,
  stay_code: sql`orders.reservation_code`,
  shares: sql`coalesce(split.shares, '[]')`
})

const joined = (sql: Sql): Fragment => sql`
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
    AND method.dictionary = page.direction || '_methods'`

const search = (sql: Sql) => {
  const page = pagesOf(sql, TransactionRow, (wanted: SearchValues) => ({
    matching: sql`SELECT t.* FROM transactions t WHERE ${sql.and(conditions(sql, wanted))}`,
    orderBy: sql`action_at DESC, id DESC`,
    columns: shown(sql),
    joined: joined(sql)
  }))
  return (operatorId: number, wanted: TransactionSearch, asked: Page) => page(valuesOf(operatorId, wanted), asked)
}

/** What a search names. */
interface NamedBySearch {
  readonly operatorId: number
  readonly property_id: number | undefined
  readonly order_code: string | undefined
}

/** Whether the property and the order a search names exist; asked only when the search found nothing. */
const known = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, order_code }: Givens<NamedBySearch>) => sql`
      SELECT ${propertyKnown(sql, operatorId, property_id)} AS property,
        ${order_code === undefined ? sql`true` : sql`EXISTS ${orderOf(sql, operatorId, order_code)}`} AS "order"`
  )
  return (operatorId: number, { property_id, order_code }: Pick<TransactionSearch, "property_id" | "order_code">) =>
    readKnown(statement({ operatorId, property_id, order_code }))
}

const isInDictionary = (
  sql: Sql,
  operatorId: Value<number>,
  dictionary: Fragment,
  id: Value<number> | undefined
): Fragment =>
  id === undefined
    ? sql`false`
    : sql`EXISTS (SELECT FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${dictionary} AND id = ${id})`

/** The stays of the row `orders`, as what weighs their shares. */
const weights = (sql: Sql): Fragment => sql`coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', stay.id, 'revenue', stay.accommodation_revenue::text) ORDER BY stay.id)
  FROM stays stay WHERE stay.operator_id = orders.operator_id AND stay.order_id = orders.id), '[]')`

/** What a new entry names. */
interface NamedByNew extends NamedBySearch {
  readonly item: DictionaryId
  readonly method: DictionaryId
}

const preconditions = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, order_code, item, method }: Givens<NamedByNew>) => sql`
      SELECT
        ${propertyKnown(sql, operatorId, property_id)} AS property_known,
        ${isNamedIn(sql, operatorId, item)} AS item_known, ${isNamedIn(sql, operatorId, method)} AS method_known,
        orders.id AS order_id, orders.currency AS order_currency, ${weights(sql)} AS stays
      FROM (SELECT 1) one
      LEFT JOIN orders ON ${
        order_code === undefined
          ? sql`false`
          : sql`orders.operator_id = ${operatorId} AND orders.id IN ${orderOf(sql, operatorId, order_code)}`
      }`
  )
  return (wanted: NamedByNew) => readPreconditions(statement(wanted))
}

const isNamedIn = (sql: Sql, operatorId: Value<number>, named: Value<DictionaryId>): Fragment =>
  isInDictionary(
    sql,
    operatorId,
    sql`${partOf(named, ({ dictionary }) => dictionary)}`,
    partOf(named, ({ id }) => id)
  )

/** Writes the shares of the entry in the CTE `entry`. */
const sharesInto = (sql: Sql, shares: Value<ReadonlyArray<Share>>): Fragment =>
  writeShares(
    sql,
    sql`SELECT entry.operator_id, entry.id AS transaction_id, share.stay_id, share.amount
      FROM entry, jsonb_to_recordset(${jsonParameter(shares)}::jsonb) AS share (stay_id bigint, amount numeric)`
  )

/** Records what happened to the entry in the CTE `entry`. */
const recorded = (sql: Sql, what: "created" | "updated" | "deleted", at: Value<Date>): Fragment =>
  recordEvent(sql, `transaction_${what}`, {
    from: sql`entry`,
    record: sql`'transaction:' || id`,
    fields: { transaction_id: sql`id` },
    at
  })

/** An entry to be made, with how it is split. */
interface Entered extends Split {
  readonly operatorId: number
  readonly entry: Omit<typeof GivenTransaction.Type, "order_id"> & { readonly order_id: number | null }
  readonly now: Date
}

/** Answers the new entry's id, or undefined when its order is not as it was read any more. */
const create = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, entry, order, shares, now }: Givens<Entered>) => ({
    change: sql`
      ${orderAsRead(sql, operatorId, order)}, entry AS (
        INSERT INTO transactions (operator_id, created_at, updated_at, ${sql.literal(namesOf(GivenTransaction))})
        SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(namesOf(GivenTransaction))}
        FROM as_read, ${givenRow(sql, GivenTransaction, entry)}
        RETURNING operator_id, id
      ), shares AS (${sharesInto(sql, shares)})`,
    events: [recorded(sql, "created", now)],
    touched: touchedIn(sql, "transaction", "entry"),
    outcome: sql`SELECT id FROM entry`
  }))
  return (operatorId: number, entry: NewTransaction, { order, shares }: Split, now: Date) =>
    readIdentity(statement({ operatorId, entry: { ...entry, order_id: order?.id ?? null }, order, shares, now }))
}

interface Looked {
  readonly operatorId: number
  readonly id: number
  readonly item_id: number | undefined
  readonly payment_method_id: number | undefined
}

const existing = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, item_id, payment_method_id }: Givens<Looked>) => sql`
      SELECT ${selectedOf(sql, TransactionRow, shown(sql))}, page.order_id, ${weights(sql)} AS stays,
        ${isInDictionary(sql, operatorId, sql`page.direction || '_items'`, item_id)} AS item_known,
        ${isInDictionary(sql, operatorId, sql`page.direction || '_methods'`, payment_method_id)} AS method_known
      FROM transactions page ${joined(sql)}
      WHERE page.operator_id = ${operatorId} AND page.id = ${id}`
  )
  return (
    operatorId: number,
    id: number,
    { item_id, payment_method_id }: { readonly item_id?: number; readonly payment_method_id?: number }
  ) => readExisting(statement({ operatorId, id, item_id, payment_method_id }))
}

/** What an edit sets, of which entry. */
interface Edited extends TransactionEdit, Split {
  readonly operatorId: number
  readonly id: number
  readonly now: Date
}

/**
 * Answers the entry's id, or undefined when it was deleted or its order is not as it was read any more. The entry is locked
 * after its order, as changes of orders do.
 */
const update = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, order, shares, now, ...edit }: Givens<Edited>) => ({
    change: sql`
      ${orderAsRead(sql, operatorId, order)}, before AS (
        SELECT * FROM transactions WHERE operator_id = ${operatorId} AND id = ${id} AND EXISTS (SELECT FROM as_read)
        FOR NO KEY UPDATE
      ), entry AS (
        UPDATE transactions t SET updated_at = ${now}, ${settingsOf(sql, EditedTransaction, "t", edit)}
        FROM before WHERE t.operator_id = before.operator_id AND t.id = before.id
        RETURNING t.*
      ), shares AS (${sharesInto(sql, shares)})`,
    events: [recorded(sql, "updated", now)],
    touched: touchedBetween(sql, "transaction", "entry"),
    outcome: sql`SELECT id FROM entry`
  }))
  return (operatorId: number, id: number, edit: TransactionEdit, { order, shares }: Split, now: Date) =>
    readIdentity(statement({ ...edit, operatorId, id, order, shares, now }))
}

/** Answers the deleted entry's id, or undefined when there is none. */
const remove = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, now }: Givens<Removed>) => ({
    change: sql`
      entry AS (
        DELETE FROM transactions WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
    events: [recorded(sql, "deleted", now)],
    touched: touchedIn(sql, "transaction", "entry"),
    outcome: sql`SELECT id FROM entry`
  }))
  return (operatorId: number, id: number, now: Date) => readIdentity(statement({ operatorId, id, now }))
}

interface Removed {
  readonly operatorId: number
  readonly id: number
  readonly now: Date
}

const dictionary = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, name }: Givens<{ readonly operatorId: number; readonly name: Dictionary }>) => sql`
      SELECT id, name FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${name}`
  )
  return (operatorId: number, name: Dictionary) => readDictionary(statement({ operatorId, name }))
}

export class TransactionStore extends Context.Service<TransactionStore>()("latchkey/resources/TransactionStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    known: known(sql),
    preconditions: preconditions(sql),
    create: create(sql),
    existing: existing(sql),
    update: update(sql),
    remove: remove(sql),
    dictionary: dictionary(sql)
  }))
}) {
  static readonly layer = Layer.effect(TransactionStore, TransactionStore.make)
}

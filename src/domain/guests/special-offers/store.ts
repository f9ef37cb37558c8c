import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { givenRow, namesOf } from "../../../platform/database/columns.ts"
import { type Givens, inForms, type Value } from "../../../platform/database/forms.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { OfferStatus } from "../../channels/port/said.ts"
import { type OfOperator, type OwnRow, readIdentity } from "../../own-row.ts"
import { conversationNamed, isAnyones, NamedConversation } from "../conversations/known-conversation.ts"
import { comesFrom } from "./rules/standing.ts"
import { type Nights, nightsTaken, offersOf, WrittenOffer } from "./shown.ts"
import { GivenOffer, type NewOffer, touchedOffers } from "./table.ts"

// The SQL of offers. A read is one statement; a change is two: one that reads what the rules need, one that changes.

type Sql = SqlClient.SqlClient

/** The offers of a conversation. */
const Shown = Schema.toCodecJson(
  Schema.Struct({
    operator_id: Schema.Int,
    offers: Schema.Array(WrittenOffer)
  })
)
const readShown = rowOf(Shown)

interface Named extends OfOperator {
  readonly code: string
}

/** The offers of a conversation, newest first. Undefined: the operator has no such conversation. */
const shown = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, code }: Givens<Named>) => sql`
      SELECT c.operator_id, ${offersOf(sql, operatorId, sql`c`)} AS offers
      FROM (${conversationNamed(sql, operatorId, code)}) c`
  )
  return (operatorId: number, code: string) => readShown(statement({ operatorId, code }))
}

/** What an offer is of: a listing and nights, said by values or by columns. */
interface Wished extends Nights {
  readonly listingId: Value<string> | Fragment
}

const OnGround = { listing_currency: Schema.NullOr(Schema.String), nights_taken: Schema.Boolean }

const ground = (sql: Sql, { operatorId, code }: Givens<Named>, wished: Wished, more: Fragment): Fragment => sql`
  SELECT c.operator_id, c.id, c.account_id, c.channel_type, c.thread_id, l.currency AS listing_currency, ${more}
    ${nightsTaken(sql, operatorId, sql`l`, wished)} AS nights_taken
  FROM (${conversationNamed(sql, operatorId, code)}) c
  LEFT JOIN listings l ON l.operator_id = ${operatorId} AND l.account_id = c.account_id
    AND l.channel_type = c.channel_type AND l.listing_id = ${wished.listingId}`

const readGround = rowOf(Schema.Struct({ ...NamedConversation.fields, ...OnGround }))

interface Asked extends Named {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
}

/** A conversation, and how what its guest is to be offered stands. */
const groundOf = (sql: Sql) => {
  const statement = inForms(sql, (asked: Givens<Asked>) =>
    ground(sql, asked, { listingId: asked.listing_id, from: asked.check_in_date, before: asked.check_out_date }, sql``)
  )
  return (operatorId: number, code: string, asked: Omit<Asked, keyof Named>) => {
    const { listing_id, check_in_date, check_out_date } = asked
    return readGround(statement({ operatorId, code, listing_id, check_in_date, check_out_date }))
  }
}

const readInquiry = rowOf(
  Schema.Struct({
    ...NamedConversation.fields,
    ...OnGround,
    inquiry: Schema.NullOr(
      Schema.Struct({
        listing_id: Schema.String,
        check_in_date: Schema.String,
        check_out_date: Schema.String,
        number_of_adults: Schema.Int,
        number_of_children: Schema.Int,
        number_of_infants: Schema.Int,
        number_of_pets: Schema.Int
      })
    )
  })
)

/** The same of what its guest asks for. */
const inquiryOf = (sql: Sql) => {
  const statement = inForms(sql, (named: Givens<Named>) =>
    ground(
      sql,
      named,
      {
        listingId: sql`c.inquiry_listing_id`,
        from: sql`c.inquiry_check_in_date`,
        before: sql`c.inquiry_check_out_date`
      },
      sql`
        CASE WHEN c.inquiry_listing_id IS NOT NULL AND c.inquiry_check_in_date IS NOT NULL
          AND c.inquiry_check_out_date IS NOT NULL THEN jsonb_build_object(
            'listing_id', c.inquiry_listing_id, 'check_in_date', c.inquiry_check_in_date,
            'check_out_date', c.inquiry_check_out_date, 'number_of_adults', coalesce(c.inquiry_adults, 1),
            'number_of_children', coalesce(c.inquiry_children, 0),
            'number_of_infants', coalesce(c.inquiry_infants, 0), 'number_of_pets', coalesce(c.inquiry_pets, 0))
        END AS inquiry,`
    )
  )
  return (operatorId: number, code: string) => readInquiry(statement({ operatorId, code }))
}

interface Recorded extends OfOperator {
  readonly conversationId: number
  readonly offer: NewOffer
}

/** Writes down an offer that its channel has made; one that the channel told of meanwhile stays as that says. */
const record = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, conversationId, offer }: Givens<Recorded>) => ({
    change: sql`
      after AS (
        INSERT INTO special_offers AS o (operator_id, conversation_id, ${sql.literal(namesOf(GivenOffer))})
        SELECT ${operatorId}::bigint, ${conversationId}::bigint, ${sql.literal(namesOf(GivenOffer, "given"))}
        FROM ${givenRow(sql, GivenOffer, offer)}
        ON CONFLICT ON CONSTRAINT special_offers_of_channel DO UPDATE SET offer_id = o.offer_id
        RETURNING o.operator_id, o.id, o.offer_id
      )`,
    events: [],
    touched: touchedOffers(sql, sql`after`, sql`'{}'::text[]`),
    outcome: sql`SELECT id FROM after`
  }))
  return (operatorId: number, conversationId: number, offer: NewOffer) =>
    readIdentity(statement({ operatorId, conversationId, offer }))
}

const Found = Schema.Struct({
  ...NamedConversation.fields,
  /** Null: the conversation has no such offer. */
  offer: Schema.NullOr(Schema.Struct({ id: Schema.Int, status: OfferStatus, expires_at: Schema.Date }))
})
const readFound = rowOf(Schema.toCodecJson(Found))

interface OfferNamed extends Named {
  readonly offer_id: string
}

/** A conversation, and one of its offers. Undefined: the operator has no such conversation. */
const found = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, code, offer_id }: Givens<OfferNamed>) => sql`
      SELECT c.operator_id, c.id, c.account_id, c.channel_type, c.thread_id, (
        SELECT jsonb_build_object('id', o.id, 'status', o.status, 'expires_at', o.expires_at) FROM special_offers o
        WHERE o.operator_id = ${operatorId} AND o.conversation_id = c.id AND o.offer_id = ${offer_id}) AS offer
      FROM (${conversationNamed(sql, operatorId, code)}) c`
  )
  return (operatorId: number, code: string, offer_id: string) => readFound(statement({ operatorId, code, offer_id }))
}

interface Withdrawn extends OwnRow {
  readonly from: ReadonlyArray<OfferStatus>
}

/** Writes down that an offer is withdrawn, if nobody has decided otherwise. */
const withdraw = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, from }: Givens<Withdrawn>) => ({
    change: sql`
      after AS (
        UPDATE special_offers SET status = 'withdrawn'
        WHERE operator_id = ${operatorId} AND id = ${id} AND status = ANY(${from}::text[])
        RETURNING operator_id, id, offer_id
      )`,
    events: [],
    touched: touchedOffers(sql, sql`after`, sql`'{status}'::text[]`),
    outcome: sql`SELECT id FROM after`
  }))
  return (operatorId: number, id: number) => readIdentity(statement({ operatorId, id, from: comesFrom("withdrawn") }))
}

export class SpecialOfferStore extends Context.Service<SpecialOfferStore>()("latchkey/resources/SpecialOfferStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    isAnyones: isAnyones(sql),
    shown: shown(sql),
    groundOf: groundOf(sql),
    inquiryOf: inquiryOf(sql),
    record: record(sql),
    found: found(sql),
    withdraw: withdraw(sql)
  }))
}) {
  static readonly layer = Layer.effect(SpecialOfferStore, SpecialOfferStore.make)
}

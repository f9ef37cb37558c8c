import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Schema } from "effect"
import { SandboxChannel } from "../../connectors/sandbox/channel-profiles.ts"
import { Marketplace } from "../../connectors/sandbox/Marketplace.ts"
import { makeDecoder } from "../../contract/decoder.ts"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { Currency, PositiveAmount, textUpTo } from "../../contract/fields.ts"
import { nameKeyOf } from "../../contract/names.ts"
import { currentSecond } from "../../contract/time.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { DisplayName, TimeZone } from "../../domain/access/operators/operator-schemas.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import { LISTING_TEXT_LENGTH } from "../../platform/limits.ts"
import { writeProperties } from "../demo/write-properties.ts"

/** Most properties of a new test operator. */
export const TEST_PROPERTIES_MAX = 20

const NewTestOperator = Schema.Struct({
  name: Schema.optionalKey(DisplayName),
  time_zone: Schema.optionalKey(TimeZone),
  currency: Schema.optionalKey(Currency),
  properties: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        title: textUpTo(LISTING_TEXT_LENGTH).check(Schema.isNonEmpty()),
        channel_type: Schema.optionalKey(SandboxChannel),
        base_price: Schema.optionalKey(PositiveAmount)
      })
    ).check(Schema.isMaxLength(TEST_PROPERTIES_MAX))
  )
})
type NewTestOperator = typeof NewTestOperator.Type
type NewTestProperty = NonNullable<NewTestOperator["properties"]>[number]

const decodeNewTestOperator = makeDecoder(NewTestOperator)

const DEFAULTS = { name: "Test operator", time_zone: "UTC", currency: "EUR" } as const
const DEFAULT_CHANNEL = "airbnb"
const PASSWORD_BYTES = 12

/** Both tokens of an account. They do not expire. */
export const createTestTokens = Effect.fnUntraced(function* (operatorId: number, accountId: number) {
  const operators = yield* Operators
  const writable = yield* operators.createToken({ account_id: accountId, name: "Test", scope: "writable" })
  const readOnly = yield* operators.createToken({ account_id: accountId, name: "Test (read)", scope: "read-only" })
  return { operator_id: operatorId, token: writable.token, read_only_token: readOnly.token }
})

/** A property with a listing that the sandbox sells for it. */
const createTestProperty = Effect.fnUntraced(function* (operatorId: number, property: NewTestProperty) {
  const [marketplace, listings] = [yield* Marketplace, yield* Listings]
  const { title, channel_type = DEFAULT_CHANNEL, base_price } = property
  const now = yield* currentSecond
  const [id] = yield* writeProperties(operatorId, [title], now)
  if (id === undefined) return yield* Effect.die(new Error("a property was not created"))
  const { listing_id } = yield* marketplace.openListing({
    operator_id: operatorId,
    channel_type,
    title,
    ...(base_price === undefined ? {} : { base_price })
  })
  const [listing] = yield* listings.list({ operator_id: operatorId, channel_type, listing_id }, 1)
  if (listing === undefined) return yield* Effect.die(new Error(`the sandbox did not report listing ${listing_id}`))
  yield* listings.setMapping(operatorId, listing, { mapping: { type: "property", id }, ratio: 100, readonly: false })
  return { property_id: id, title, channel_type, listing_id }
})

const checkTitles = (properties: ReadonlyArray<NewTestProperty>): Effect.Effect<void, ValidationFailed> => {
  const keys = properties.map(({ title }) => nameKeyOf(title))
  const index = keys.findIndex((key, at) => keys.indexOf(key) < at)
  return index < 0
    ? Effect.void
    : new ValidationFailed({ message: `properties[${index}].title: another property has the same title.` })
}

/** Errors name fields of the property. */
const nameProperty =
  (index: number) =>
  <E>(error: E) =>
    error instanceof ValidationFailed || error instanceof BadRequest
      ? new ValidationFailed({ message: `properties[${index}].${error.message}` })
      : error

/** Creates an operator with its tokens, and a sandbox listing for each of its properties. */
export const createTestOperator = Effect.fnUntraced(function* (input: unknown) {
  const { properties = [], ...given } = yield* decodeNewTestOperator(input)
  yield* checkTitles(properties)
  const operator = { ...DEFAULTS, ...given }
  const { operator_id: operatorId, account_id: accountId } = yield* (yield* Operators).create({
    ...operator,
    email: `${randomUUID()}@test.example`,
    password: randomBytes(PASSWORD_BYTES).toString("base64url")
  })
  return {
    ...(yield* createTestTokens(operatorId, accountId)),
    properties: yield* Effect.forEach(properties, (property, index) =>
      Effect.mapError(createTestProperty(operatorId, property), nameProperty(index))
    )
  }
})

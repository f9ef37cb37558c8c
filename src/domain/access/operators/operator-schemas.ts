import { DateTime, Option, Schema } from "effect"
import { CalendarDate, Currency, EmailOrNone, Id, Integer } from "../../../contract/fields.ts"
import { dateInZone } from "../../../contract/time.ts"
import { ACCOUNT_NAME_LENGTH, PASSWORD_MAX, PASSWORD_MIN, SUBSCRIPTION_ROOMS_MAX } from "../../../platform/limits.ts"
import { isCommonPassword } from "./password-rules.ts"

/** Rejects offsets such as +01:00: they have no summer time, and PostgreSQL reverses their sign. */
export const isTimeZone = (text: string): boolean =>
  /^[A-Za-z]/.test(text) && Option.isSome(DateTime.zoneMakeNamed(text))

export const TimeZone = Schema.String.check(
  Schema.makeFilter(isTimeZone, { expected: "an IANA time zone, such as Europe/Lisbon" })
)

export const DisplayName = Schema.String.check(
  Schema.makeFilter((text) => text.trim() !== "" && Array.from(text).length <= ACCOUNT_NAME_LENGTH, {
    expected: `a name of 1 to ${ACCOUNT_NAME_LENGTH} characters`,
    toJsonSchema: () => [{ minLength: 1, maxLength: ACCOUNT_NAME_LENGTH }, true]
  })
)

export const Email = EmailOrNone.check(
  Schema.makeFilter((text) => text !== "", {
    expected: "an e-mail address, such as host@example.com",
    toJsonSchema: () => [{ minLength: 1 }, true]
  })
)

/** Callers must also check `isAccountName` (password-rules.ts). */
export const Password = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      const { length } = Array.from(text)
      return length >= PASSWORD_MIN && length <= PASSWORD_MAX
    },
    {
      expected: `a password of ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`,
      toJsonSchema: () => ({ minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX })
    }
  ),
  Schema.makeFilter((text) => !isCommonPassword(text), {
    expected: "a password that is not among the most common ones",
    toJsonSchema: () => [{}, true]
  })
)

export const EDITIONS = ["pro", "basic"] as const
export const OPERATOR_STATUSES = ["active", "banned", "closed"] as const
export const TOKEN_SCOPES = ["read-only", "writable"] as const

/** `subscription_until` is the last day. Without it, the subscription has no end. */
export const NewOperator = Schema.Struct({
  name: DisplayName,
  time_zone: TimeZone,
  currency: Currency,
  edition: Schema.optional(Schema.Literals(EDITIONS)),
  subscription_until: Schema.optional(CalendarDate),
  email: Email,
  password: Password
})
export type NewOperator = typeof NewOperator.Type

/** Lowering the limit removes no rooms. */
const RoomLimit = Integer.check(
  Schema.isBetween({ minimum: 0, maximum: SUBSCRIPTION_ROOMS_MAX }, { expected: `from 0 to ${SUBSCRIPTION_ROOMS_MAX}` })
)

export const OperatorChange = Schema.Struct({
  name: Schema.optional(DisplayName),
  time_zone: Schema.optional(TimeZone),
  currency: Schema.optional(Currency),
  edition: Schema.optional(Schema.Literals(EDITIONS)),
  subscription_until: Schema.optional(CalendarDate),
  status: Schema.optional(Schema.Literals(OPERATOR_STATUSES)),
  room_limit: Schema.optional(RoomLimit),
  room_type_limit: Schema.optional(RoomLimit)
})
export type OperatorChange = typeof OperatorChange.Type

/** `name` defaults to the e-mail address. */
export const NewAccount = Schema.Struct({
  operator_id: Id,
  email: Email,
  name: Schema.optional(DisplayName),
  password: Password
})
export type NewAccount = typeof NewAccount.Type

export const NewPassword = Schema.Struct({ account_id: Id, password: Password })
export type NewPassword = typeof NewPassword.Type

export const NewToken = Schema.Struct({ account_id: Id, name: DisplayName, scope: Schema.Literals(TOKEN_SCOPES) })
export type NewToken = typeof NewToken.Type

/**
 * Returns the first instant after the last day. Accepts 9999-12-31, although the next day is no valid calendar date.
 */
export const endOfSubscription = (lastDay: string, timeZone: string): Date =>
  DateTime.makeZoned(`${lastDay}T00:00:00Z`, { timeZone, adjustForTimeZone: true }).pipe(
    Option.map((day) => DateTime.toDateUtc(DateTime.startOf(DateTime.add(day, { days: 1 }), "day"))),
    Option.getOrThrow
  )

export const lastDayOfSubscription = (end: Date, timeZone: string): string => dateInZone(end.getTime() - 1, timeZone)

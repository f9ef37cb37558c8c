import { Schema } from "effect"
import { ADVANCE_MAX_MS } from "../../jobs/SteeredWork.ts"

const UNIT_MS = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000, s: 1000 }

const PATTERN = /^(\d{1,9})([dhms])$/

const isUnit = (text: string | undefined): text is keyof typeof UNIT_MS => text !== undefined && text in UNIT_MS

/** Returns milliseconds, or undefined for another text or a longer duration than {@link ADVANCE_MAX_MS}. */
export const parseAdvance = (input: unknown): number | undefined => {
  const [, count, unit] = PATTERN.exec(String(input)) ?? []
  const milliseconds = typeof input === "string" && isUnit(unit) ? Number(count) * UNIT_MS[unit] : input
  return typeof milliseconds === "number" && Number.isInteger(milliseconds) && isWithinLimit(milliseconds)
    ? milliseconds
    : undefined
}

const isWithinLimit = (milliseconds: number): boolean => milliseconds >= 0 && milliseconds <= ADVANCE_MAX_MS

const EXPECTED = "a number of milliseconds, or a text such as 14d, 3h, 5m or 90s, of at most 400 days"

/** A duration. {@link parseAdvance} returns its milliseconds. */
export const Advance = Schema.Json.check(
  Schema.makeFilter((input) => parseAdvance(input) !== undefined, { expected: EXPECTED })
)

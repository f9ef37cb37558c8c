import { Effect, Schema } from "effect"
import { makeDecoder } from "../../contract/decoder.ts"
import { type BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { ADVANCE_MAX_MS } from "../../jobs/OrderedWork.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const UNIT_MS = { d: DAY_MS, h: 60 * 60 * 1000, m: 60 * 1000, s: 1000 }

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

const invalidAdvanceError = new ValidationFailed({
  message: `advance: must be a number of milliseconds, or a text such as 14d, 3h, 5m or 90s, of at most ${ADVANCE_MAX_MS / DAY_MS} days.`
})

const decodeRequest = makeDecoder(Schema.Struct({ advance: Schema.Json }))

/** Returns the milliseconds of the field `advance`. */
export const decodeAdvance = (input: unknown): Effect.Effect<number, BadRequest | ValidationFailed> =>
  Effect.flatMap(decodeRequest(input), ({ advance }) => {
    const milliseconds = parseAdvance(advance)
    return milliseconds === undefined ? Effect.fail(invalidAdvanceError) : Effect.succeed(milliseconds)
  })

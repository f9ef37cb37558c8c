import { Effect, Logger, References } from "effect"

export interface LogLine {
  readonly level: string
  readonly message: unknown
  readonly fields: { readonly [field: string]: unknown }
}

/** The lines that are logged meanwhile. */
export const collectLogLines = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<LogLine> = []
    const logger = Logger.make(({ logLevel, message, fiber }) => {
      lines.push({ level: logLevel, message, fields: fiber.getRef(References.CurrentLogAnnotations) })
    })
    yield* Effect.provide(effect, Logger.layer([logger]))
    return lines
  })

import { Schema } from "effect"
import type { Health } from "./breaker.ts"

const failing = { failures: Schema.Int, failingSince: Schema.Int }
const bounded = { ...failing, rests: Schema.Int, until: Schema.Int }

/** How a subscription's {@link Health} is kept. */
export const StoredHealth: Schema.Codec<Health> = Schema.Union([
  Schema.Struct({ state: Schema.Literal("healthy") }),
  Schema.Struct({ state: Schema.Literal("failing"), ...failing }),
  Schema.Struct({ state: Schema.Literal("resting"), ...bounded }),
  Schema.Struct({ state: Schema.Literal("probing"), ...bounded }),
  Schema.Struct({ state: Schema.Literal("paused"), ...failing })
])

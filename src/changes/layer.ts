import { Layer } from "effect"
import { periodically } from "../jobs/loop.ts"
import { RETENTION_MS } from "../jobs/retention.ts"
import { retain } from "./retention.ts"

/** Removes what changes left behind, and counts of refusals, when they are old, over a database. */
export const layerRetention = Layer.effectDiscard(periodically("retention of the audit log", RETENTION_MS, retain))

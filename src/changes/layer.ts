import { Layer } from "effect"
import { repeatPeriodically } from "../jobs/loop.ts"
import { RETENTION_MS } from "../jobs/retention.ts"
import { deleteExpiredChangeData } from "./retention.ts"

/** Removes what changes left behind, and counts of refusals, when they are old, over a database. */
export const layerChangeRetention = Layer.effectDiscard(
  repeatPeriodically("retention of the audit log", RETENTION_MS, deleteExpiredChangeData)
)

import { Layer } from "effect"
import { repeatPeriodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { runOAuthRetention } from "./retention.ts"

/** Ends connections that nobody uses, and removes what of OAuth is over, over a database. */
export const layerOAuthRetention = Layer.effectDiscard(
  repeatPeriodically("retention of OAuth", RETENTION_MS, () => runOAuthRetention)
)

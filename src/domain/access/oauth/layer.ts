import { Layer } from "effect"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { endAndRetain } from "./retention.ts"

/** Ends connections that nobody uses, and removes what of OAuth is over, over a database. */
export const layerOAuthRetention = Layer.effectDiscard(
  periodically("retention of OAuth", RETENTION_MS, () => endAndRetain)
)

import { Layer } from "effect"
import { periodically } from "../background/loop.ts"
import { RETENTION_MS } from "../background/retention.ts"
import { endAndRetain } from "./retention.ts"

/** Ends connections that nobody uses, and removes what of OAuth is over, over a database. */
export const layerOAuthRetention = Layer.effectDiscard(
  periodically("retention of OAuth", RETENTION_MS, () => endAndRetain)
)

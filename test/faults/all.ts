import { alerts } from "./alerts.ts"
import { backup } from "./backup.ts"
import { clockFault } from "./clock.ts"
import { collectorFault } from "./collector.ts"
import { diskFullFault } from "./disk-full.ts"
import type { Fault } from "./fault.ts"
import { move } from "./move.ts"
import { overloadFault } from "./overload.ts"
import { redisFault } from "./redis.ts"
import { backends, behindPooler, serverRestart } from "./server.ts"
import { soakFault } from "./soak.ts"
import { versionsFault } from "./versions.ts"
import { workers } from "./workers.ts"

/** Every fault that is caused on purpose, in the order of the table. */
export const FAULTS: ReadonlyArray<Fault> = [
  workers,
  backends,
  serverRestart,
  behindPooler,
  backup,
  move,
  alerts,
  versionsFault,
  overloadFault,
  diskFullFault,
  clockFault,
  redisFault,
  collectorFault,
  soakFault
]

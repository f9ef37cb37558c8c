import { alerts } from "./alerts.ts"
import { backup } from "./backup.ts"
import type { Fault } from "./fault.ts"
import { move } from "./move.ts"
import { backends, behindPooler, serverRestart } from "./server.ts"
import { workers } from "./workers.ts"

/** Every fault that is caused on purpose, in the order of the table. */
export const FAULTS: ReadonlyArray<Fault> = [workers, backends, serverRestart, behindPooler, backup, move, alerts]

import type { RpcGroup } from "effect/rpc"
import { Availabilities } from "./resources/availability/contract.ts"
import { Staffs } from "./resources/staffs/contract.ts"
import { Tasks } from "./resources/tasks/contract.ts"
import { Transactions } from "./resources/transactions/contract.ts"

/** Every operation of the service: the table of contents everything else is derived from. */
export const Api = Transactions.merge(Availabilities, Tasks, Staffs)

export type ApiOperation = RpcGroup.Rpcs<typeof Api>

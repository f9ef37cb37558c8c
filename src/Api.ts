import type { RpcGroup } from "effect/rpc"
import { Transactions } from "./resources/transactions/contract.ts"

/** Every operation of the service: the table of contents everything else is derived from. */
export const Api = Transactions

export type ApiOperation = RpcGroup.Rpcs<typeof Api>

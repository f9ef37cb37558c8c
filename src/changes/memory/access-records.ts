import type { Caller } from "../../contract/caller.ts"
import { type MemoryRecord, makeMemoryTable } from "./MemoryDatabase.ts"

/** `id` equals `operator_id`. */
export interface OperatorRecord extends MemoryRecord {
  readonly name: string
  readonly time_zone: string
  readonly currency: string
  readonly edition: Caller["edition"]
  readonly status: "active" | "banned" | "closed"
  readonly subscription_until: Date | null
  readonly room_limit: number
  readonly room_type_limit: number
}

export interface AccountRecord extends MemoryRecord {
  readonly role: Caller["role"]
  readonly name: string
  readonly email: string
}

export interface TokenRecord extends MemoryRecord {
  readonly account_id: number
  readonly name: string
  readonly scope: Caller["scope"]
  readonly digest: Uint8Array
  readonly deployment: string
  readonly revoked_at: Date | undefined
}

export const operatorRecords = makeMemoryTable<OperatorRecord>()
export const accountRecords = makeMemoryTable<AccountRecord>()
export const tokenRecords = makeMemoryTable<TokenRecord>()

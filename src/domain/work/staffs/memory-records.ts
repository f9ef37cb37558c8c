import { type MemoryRecord, makeMemoryTable } from "../../../changes/memory/MemoryDatabase.ts"
import type { Staff } from "./contract.ts"

export interface StaffRecord extends MemoryRecord, Staff {}

/** People as memory layers of this family and of tasks know them. */
export const staffRecords = makeMemoryTable<StaffRecord>()

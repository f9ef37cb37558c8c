import { type MemoryRecord, makeMemoryTable } from "../../../changes/memory/MemoryDatabase.ts"
import type { Staff } from "./contract.ts"

export interface StaffRecord extends MemoryRecord, Staff {}

export const staffRecords = makeMemoryTable<StaffRecord>()

import {
  findRecord,
  type MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable
} from "../../../changes/memory/MemoryDatabase.ts"
import type { TagColor } from "../../../contract/tag-color.ts"
import type { ReferencedIds } from "./ownership.ts"

type Database = MemoryDatabase["Service"]

export interface PropertyRecord extends MemoryRecord {
  readonly title: string
}

export interface RoomTypeRecord extends MemoryRecord {
  readonly title: string
  readonly property_ids: ReadonlyArray<number>
}

export interface GroupRecord extends MemoryRecord {
  readonly name: string
  readonly property_ids: ReadonlyArray<number>
}

export interface TagRecord extends MemoryRecord {
  readonly name: string
  readonly color: TagColor
  readonly property_ids: ReadonlyArray<number>
  readonly room_type_ids: ReadonlyArray<number>
  /** A deleted tag is restored when a tag with its name is created. */
  readonly deleted_at: Date | undefined
}

export const propertyRecords = makeMemoryTable<PropertyRecord>()
export const roomTypeRecords = makeMemoryTable<RoomTypeRecord>()
export const groupRecords = makeMemoryTable<GroupRecord>()
export const tagRecords = makeMemoryTable<TagRecord>()

export const findUnknownIds = (
  records: ReadonlyMap<number, MemoryRecord>,
  operatorId: number,
  ids: ReadonlyArray<number> = []
): ReadonlyArray<number> => ids.filter((id) => findRecord(records, operatorId, id) === undefined)

export const findUnknownReferences = (
  database: Database,
  operatorId: number,
  { property_ids, room_type_ids }: ReferencedIds
) => ({
  unknown_properties: findUnknownIds(propertyRecords(database), operatorId, property_ids),
  unknown_room_types: findUnknownIds(roomTypeRecords(database), operatorId, room_type_ids)
})

export const hasUnknownReferences = ({
  unknown_properties,
  unknown_room_types
}: ReturnType<typeof findUnknownReferences>): boolean => unknown_properties.length + unknown_room_types.length > 0

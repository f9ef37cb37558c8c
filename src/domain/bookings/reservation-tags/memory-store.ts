import { Effect, Layer } from "effect"
import {
  findNamed,
  findRecord,
  listRecords,
  MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable,
  textContainsKeyword,
  toRecordPage
} from "../../../changes/memory/MemoryDatabase.ts"
import { createdOrDeletedRecord, recordMemoryChange } from "../../../changes/memory/memory-change.ts"
import type { TagColor } from "../../../contract/tag-color.ts"
import { RESERVATION_TAG_LIMIT } from "../../../platform/limits.ts"
import { RowId } from "../../column-schemas.ts"
import type { ReservationTag } from "./contract.ts"
import { CreatedTagRow, ReservationTagStore, toReservationTagLimitError } from "./store.ts"

interface ReservationTagRecord extends MemoryRecord {
  readonly tag_name: string
  readonly color: TagColor
  readonly deleted_at: Date | undefined
}

const reservationTagRecords = makeMemoryTable<ReservationTagRecord>()

/** Migration 0003 inserts the same tags. */
const DEFAULT_TAGS: ReadonlyArray<ReservationTag> = [
  { id: 1, tag_name: "VIP", color: "#F3D432", is_default: true },
  { id: 2, tag_name: "Returning guest", color: "#1BBFA4", is_default: true },
  { id: 3, tag_name: "Early check-in", color: "#2CBCFD", is_default: true },
  { id: 4, tag_name: "Late check-out", color: "#7175FA", is_default: true },
  { id: 5, tag_name: "Late arrival", color: "#FFA410", is_default: true },
  { id: 6, tag_name: "Long stay", color: "#EF7EDE", is_default: true },
  { id: 7, tag_name: "Invoice needed", color: "#2CBCFD", is_default: true },
  { id: 8, tag_name: "Needs attention", color: "#FD587B", is_default: true }
]
const FIRST_OWN_ID = 1001

export const layerMemory: Layer.Layer<ReservationTagStore, never, MemoryDatabase> = Layer.effect(
  ReservationTagStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = reservationTagRecords(database)
    const listOwnTags = (operatorId: number) =>
      listRecords(records, operatorId).filter(({ deleted_at }) => deleted_at === undefined)
    const listUsableTags = (operatorId: number): ReadonlyArray<ReservationTag> => [
      ...DEFAULT_TAGS,
      ...listOwnTags(operatorId).map(({ id, tag_name, color }) => ({ id, tag_name, color, is_default: false }))
    ]
    const findUsableTag = (operatorId: number, name: string) =>
      findNamed(
        listUsableTags(operatorId).map((tag) => ({ operator_id: operatorId, ...tag })),
        ({ tag_name }) => tag_name,
        name
      )
    return {
      search: (operatorId, { id, keyword }, page) =>
        Effect.sync(() =>
          toRecordPage(
            listUsableTags(operatorId).filter(
              (tag) =>
                (id === undefined || tag.id === id) &&
                (keyword === undefined || textContainsKeyword(tag.tag_name, keyword))
            ),
            page
          )
        ),

      create: (operatorId, { tag_name, color: newColor }) =>
        recordMemoryChange(database, operatorId, CreatedTagRow, () => {
          if (findUsableTag(operatorId, tag_name) !== undefined) return { unchanged: { id: null, color: null } }
          if (listOwnTags(operatorId).length >= RESERVATION_TAG_LIMIT)
            return { error: toReservationTagLimitError(RESERVATION_TAG_LIMIT) }
          const deleted = findNamed(listRecords(records, operatorId), (tag) => tag.tag_name, tag_name)
          const id = deleted?.id ?? FIRST_OWN_ID + database.takeId()
          const color = deleted?.color ?? newColor
          return {
            outcome: { id, color },
            changedRecords: createdOrDeletedRecord("reservation_tag", id),
            write: () => records.set(id, { operator_id: operatorId, id, tag_name, color, deleted_at: undefined })
          }
        }),

      remove: (operatorId, id, now) =>
        recordMemoryChange(database, operatorId, RowId, () => {
          const tag = findRecord(records, operatorId, id)
          if (tag === undefined || tag.deleted_at !== undefined) return { unchanged: undefined }
          return {
            outcome: { id },
            changedRecords: createdOrDeletedRecord("reservation_tag", id),
            write: () => records.set(id, { ...tag, deleted_at: now })
          }
        }),

      findIdByName: (operatorId, name) => Effect.sync(() => findUsableTag(operatorId, name)?.id)
    }
  })
)

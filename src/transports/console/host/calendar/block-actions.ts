import { Effect, Schema } from "effect"
import { listDates } from "../../../../domain/calendars/availability/rules.ts"
import { IDS_MAX, MONTH_PROPERTIES_MAX, SELECTED_DAYS } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import type { DaysBefore, PropertyDays } from "../../queries/DaysBefore.ts"
import { makeVoidMutation } from "../api-operations.ts"
import type { HostAction } from "../host-page.ts"
import {
  type DaySelection,
  decodeUndo,
  describeSelection,
  joinDays,
  readDayFields,
  readSelection,
  redirectWithNotice,
  UNDONE_NOTICE
} from "./day-selection.ts"

/** Properties with the same changed days. Each range has its first and its last day. */
const ChangedDays = Schema.Array(
  Schema.Struct({
    ids: Schema.Array(Schema.Int).check(Schema.isMaxLength(IDS_MAX)),
    ranges: Schema.Array(Schema.Tuple([Schema.String, Schema.String])).check(Schema.isMaxLength(SELECTED_DAYS))
  })
).check(Schema.isMaxLength(MONTH_PROPERTIES_MAX))
type ChangedDays = typeof ChangedDays.Type

/** Returns the days whose state a block (or with `available` an unblock) of the selection changes. */
export const findChangedDays = (
  before: ReadonlyArray<PropertyDays>,
  { first, last }: Pick<DaySelection, "first" | "last">,
  available: boolean
): ChangedDays => {
  const changes = before.map(({ id, days }) => {
    const blocked = new Set(days.filter(({ closed }) => closed).map(({ day }) => day))
    const changed = listDates(first, last).filter((day) => blocked.has(day) === available)
    const ranges = joinDays(changed.map((day) => ({ day, value: undefined })))
    return { id, ranges: ranges.map((range) => [range.first, range.last] as const) }
  })
  return Array.from(
    Map.groupBy(
      changes.filter(({ ranges }) => ranges.length > 0),
      ({ ranges }) => JSON.stringify(ranges)
    ).values(),
    (group) => ({ ids: group.map(({ id }) => id), ranges: group[0]?.ranges ?? [] })
  )
}

const decodeChangedDays = decodeUndo(ChangedDays)

export const makeBlockActions = (service: Service["Service"], daysBefore: DaysBefore["Service"]) => {
  const mutate = makeVoidMutation(service)
  const makeAction = (available: boolean, toText: (selection: string) => string): HostAction => ({
    doneMessage: available ? "Unblocked." : "Blocked. Existing bookings are unaffected.",
    run: (visit, form) =>
      Effect.gen(function* () {
        const selection = yield* readSelection(form, IDS_MAX)
        const before = selection === undefined ? [] : yield* daysBefore.of(selection.propertyIds, selection)
        const { properties, ...days } = readDayFields(form)
        yield* mutate(visit, form, "update_availabilities", { property_ids: properties, available, ...days })
        if (selection === undefined) return undefined
        const changes = findChangedDays(before, selection, available)
        return redirectWithNotice(visit, {
          text: toText(describeSelection(selection, before)),
          ...(changes.length === 0
            ? {}
            : {
                undo: {
                  action: "restore_days",
                  fields: { available: String(!available), before: JSON.stringify(changes) }
                }
              })
        })
      })
  })
  const restoreDays: HostAction = {
    doneMessage: UNDONE_NOTICE.text,
    run: (visit, form) =>
      Effect.gen(function* () {
        const changes = yield* decodeChangedDays(form)
        yield* Effect.forEach(changes, ({ ids, ranges }) =>
          mutate(visit, form, "update_availabilities", {
            property_ids: ids,
            available: form.get("available") === "true",
            dates: ranges.flatMap(([first, last]) => listDates(first, last).slice(0, SELECTED_DAYS))
          })
        )
        return redirectWithNotice(visit, UNDONE_NOTICE)
      })
  }
  return {
    close_days: makeAction(false, (selection) => `Blocked ${selection}. Existing bookings are unaffected.`),
    open_days: makeAction(true, (selection) => `Unblocked ${selection}.`),
    restore_days: restoreDays
  }
}

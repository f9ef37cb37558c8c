import { Schema } from "effect"
import { ValidationFailed } from "../../../../contract/errors.ts"

/** A value that the events of a house calendar may show besides the dates and times of a stay. */
export const HouseField = Schema.Literals(["guest_name", "phone", "guests", "code", "door_code"])
export type HouseField = typeof HouseField.Type

/**
 * - `reservation`: the door code that the host set for the stay.
 * - `phone_last_four`: the same, or the last four digits of the guest's phone number if the host set no code.
 */
export const DoorCodeSource = Schema.Literals(["reservation", "phone_last_four"])
export type DoorCodeSource = typeof DoorCodeSource.Type

export interface HouseCalendar {
  /** In the order of {@link HouseField}. */
  readonly fields: ReadonlyArray<HouseField>
  readonly doorCodeSource: DoorCodeSource
}

export const FeedKind = Schema.Literals(["availability", "house"])

interface RequestedFeed {
  readonly kind?: typeof FeedKind.Type
  readonly calendar_id?: number
  readonly fields?: ReadonlyArray<HouseField>
  readonly door_code_source?: DoorCodeSource
}

/** Returns the settings of the requested house calendar, or undefined for a feed of another kind. */
export const toHouseCalendar = ({ kind, fields = [], door_code_source }: RequestedFeed): HouseCalendar | undefined =>
  kind === "house"
    ? {
        fields: HouseField.literals.filter((field) => fields.includes(field)),
        doorCodeSource: door_code_source ?? "reservation"
      }
    : undefined

/** Returns the error if two fields of the request contradict each other. */
export const findContradiction = (request: RequestedFeed): ValidationFailed | undefined => {
  const { kind, calendar_id, fields, door_code_source } = request
  if (kind !== "house") {
    if (fields !== undefined) return houseOnlyError("fields")
    return door_code_source === undefined ? undefined : houseOnlyError("door_code_source")
  }
  if (calendar_id !== undefined) return unusedCalendarIdError
  return door_code_source !== undefined && fields?.includes("door_code") !== true
    ? unusedDoorCodeSourceError
    : undefined
}

const houseOnlyError = (field: string) =>
  new ValidationFailed({ message: `${field}: must be omitted unless kind is house.` })

const unusedCalendarIdError = new ValidationFailed({ message: "calendar_id: must be omitted if kind is house." })

const unusedDoorCodeSourceError = new ValidationFailed({
  message: "door_code_source: must be omitted unless fields contains door_code."
})

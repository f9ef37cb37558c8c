import { NotFound } from "../../contract/errors.ts"
import type { ClockTime } from "./stay.ts"

/** 404 for a `stay_code` that is no stay of the caller. */
export const noSuchStay = new NotFound({ message: "stay_code: no such stay." })

/** `HH:mm`, as the database takes a time of day; what removes it, or says nothing of it, stays as it is. */
export const clockText = (time: typeof ClockTime.Type | null | undefined): string | null | undefined =>
  time === null || time === undefined
    ? time
    : [time.hour, time.minute].map((part) => String(part).padStart(2, "0")).join(":")

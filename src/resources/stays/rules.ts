import type { ClockTime } from "./stay.ts"

/** `HH:mm`, as the database takes a time of day; what removes it, or says nothing of it, stays as it is. */
export const clockText = <None extends null | undefined>(time: typeof ClockTime.Type | None): string | None =>
  time === null || time === undefined
    ? time
    : [time.hour, time.minute].map((part) => String(part).padStart(2, "0")).join(":")

import { addDays, daysInRange } from "../../../../../src/contract/time.ts"
import { TODAY } from "../examples/example-story.ts"

/** Moves the dates of an example as many days as have passed since the examples were made, so that no example is out of date. */
export const moveDatesToToday = (text: string): string => {
  const passedDays = daysInRange(TODAY, new Date().toISOString().slice(0, 10)) - 1
  return text.replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (date) => addDays(date, passedDays))
}

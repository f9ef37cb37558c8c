/** Returns the time of a wait in words: seconds, or whole minutes from two minutes on. */
export const formatWait = (seconds: number): string => {
  if (seconds === 1) return "a second"
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}

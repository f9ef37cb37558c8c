/** Only manual orders have this prefix. */
const MANUAL_CODE_PREFIX = "5-"

/** The specification sets this form (POST /reservations). */
export const toManualOrderCode = (channelId: string): string => `${MANUAL_CODE_PREFIX}${channelId}`

export const isManualOrderCode = (reservationCode: string): boolean => reservationCode.startsWith(MANUAL_CODE_PREFIX)

const CODE_PARTS = /^(\d-[^-]+)(-.+)?$/

/**
 * The first stay has the code of the order. Later stays add `_1`, `_2` … after the order's number: `5-ABC_1`,
 * `0-48120375_1-XK2P`.
 */
export const toStayCode = (reservationCode: string, room: number): string => {
  if (room === 0) return reservationCode
  const [, head = reservationCode, tail = ""] = CODE_PARTS.exec(reservationCode) ?? []
  return `${head}_${room}${tail}`
}

export const roomIndexOf = (reservationCode: string, stayCode: string): number => {
  const [, head = reservationCode] = CODE_PARTS.exec(reservationCode) ?? []
  const number = stayCode.startsWith(`${head}_`) ? /^\d+/.exec(stayCode.slice(head.length + 1)) : null
  return stayCode === reservationCode || number === null ? 0 : Number(number[0])
}

// How orders and stays are called (contract facts 0.3). Codes are for people and other systems; rows link by id.

/** What the code of every order made by hand begins with, and no other's. */
const MANUAL_CODE_PREFIX = "5-"

/** The code of an order made by hand: its channel_id is part of it (specification, POST /reservations). */
export const toManualOrderCode = (channelId: string): string => `${MANUAL_CODE_PREFIX}${channelId}`

export const isManualOrderCode = (reservationCode: string): boolean => reservationCode.startsWith(MANUAL_CODE_PREFIX)

const CODE_PARTS = /^(\d-[^-]+)(-.+)?$/

/**
 * The code of one stay: the first stay's is the order's, further ones put `_1`, `_2` … after the order's number,
 * before its tail if it has one: `5-ABC_1`, `0-48120375_1-XK2P`.
 */
export const toStayCode = (reservationCode: string, room: number): string => {
  if (room === 0) return reservationCode
  const [, head = reservationCode, tail = ""] = CODE_PARTS.exec(reservationCode) ?? []
  return `${head}_${room}${tail}`
}

/** Which room a stay of the order is by its code: 0 for the first. */
export const roomIndexOf = (reservationCode: string, stayCode: string): number => {
  const [, head = reservationCode] = CODE_PARTS.exec(reservationCode) ?? []
  const number = stayCode.startsWith(`${head}_`) ? /^\d+/.exec(stayCode.slice(head.length + 1)) : null
  return stayCode === reservationCode || number === null ? 0 : Number(number[0])
}

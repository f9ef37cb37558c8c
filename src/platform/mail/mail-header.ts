import { EMAIL_LENGTH, MAIL_SUBJECT_LENGTH } from "../limits.ts"

// Header values never contain line breaks, so that no text can add a header.

/** Returns one line of at most MAIL_SUBJECT_LENGTH characters. Control and format characters become spaces. */
export const toHeaderText = (text: string): string => {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim()
  const characters = Array.from(line)
  return characters.length <= MAIL_SUBJECT_LENGTH
    ? line
    : `${characters
        .slice(0, MAIL_SUBJECT_LENGTH - 1)
        .join("")
        .trimEnd()}…`
}

const ADDRESS = /^[^\s@<>"(),;:\\\p{Cc}\p{Cf}]+@[^\s@<>"(),;:\\\p{Cc}\p{Cf}]+$/u

/** Accepts a single address without a name. */
export const isSingleAddress = (text: string): boolean => text.length <= EMAIL_LENGTH && ADDRESS.test(text)

/** The sender of all mails. */
export interface MailSender {
  /** Empty without a name. */
  readonly name: string
  readonly address: string
}

const SENDER = /^(?:"?([^"<>@,;:\\]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/

/** Reads `host@example.com` or `Name <host@example.com>`. Returns undefined for another text. */
export const parseMailSender = (text: string): MailSender | undefined => {
  const [, name = "", addressInBrackets, plainAddress] = SENDER.exec(text.trim()) ?? []
  const address = addressInBrackets ?? plainAddress ?? ""
  return isSingleAddress(address) && toHeaderText(name) === name.trim() ? { name: name.trim(), address } : undefined
}

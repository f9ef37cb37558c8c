/** The id that a text of a form or an address says; undefined: it says none, so nobody has it. */
export const parseRecordId = (text: string | null | undefined): number | undefined =>
  /^[1-9]\d{0,14}$/.test(text ?? "") ? Number(text) : undefined

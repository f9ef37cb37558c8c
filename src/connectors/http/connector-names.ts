// Values of the column `channel_accounts.connector`.

export const CONNECTOR_NAME_PREFIX = "http:"

export const toConnectorName = (id: number): string => `${CONNECTOR_NAME_PREFIX}${id}`

const CONNECTOR_NAME_PATTERN = /^http:([1-9]\d{0,15})$/

export const parseConnectorId = (name: string): number | undefined => {
  const [, digits] = CONNECTOR_NAME_PATTERN.exec(name) ?? []
  return digits === undefined ? undefined : Number(digits)
}

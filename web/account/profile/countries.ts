/**
 * Region codes that Intl knows but that are not countries in ISO 3166. Kosovo (XK) is not in ISO 3166 either, but
 * people live there, so it is not excluded.
 */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const { compare } = new Intl.Collator('en')

/**
 * Tells whether a code is still in use. Intl gives a withdrawn code the name of its successor, so that name would be
 * listed twice.
 */
const isCurrent = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code

/** All countries with their English names, sorted by name. */
export const COUNTRIES: readonly { readonly code: string; readonly name: string }[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => !NO_COUNTRIES.has(code) && isCurrent(code))
  .flatMap((code) => {
    const name = names.of(code)
    return name === undefined ? [] : [{ code, name }]
  })
  .sort((one, other) => compare(one.name, other.name))

/** Returns the name of a country; an unknown code is returned unchanged. */
export const countryName = (code: string): string => COUNTRIES.find((one) => one.code === code)?.name ?? code

/** Returns the choices of a country field. An unknown code, which may come from an import, stays selectable. */
export const countryChoices = (chosen: string, notSaid: string): { value: string; label: string }[] => [
  { value: '', label: notSaid },
  ...(chosen === '' || COUNTRIES.some(({ code }) => code === chosen) ? [] : [{ value: chosen, label: chosen }]),
  ...COUNTRIES.map(({ code, name }) => ({ value: code, label: name })),
]

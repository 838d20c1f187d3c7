export const SERVICE_ABOUT = {
  militaryGrade: 'Military grade',
  displayRank: 'Rank, as shown to others',
  displayDutyTitle: 'Duty title, as shown to others',
  civilianGrade: 'Civil service grade',
  civilianBand: 'Civil service band',
  jobSeriesNumber: 'Job series number',
  jobTitle: 'Job title',
} as const

/** The fields that describe a person's service in an organisation. All of them are optional. */
export const SERVICE_FIELDS = Object.keys(SERVICE_ABOUT) as readonly (keyof typeof SERVICE_ABOUT)[]
export type Service = { readonly [Field in keyof typeof SERVICE_ABOUT]?: string }

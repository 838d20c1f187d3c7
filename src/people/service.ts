export const SERVICE_ABOUT = {
  militaryGrade: 'Grade in the forces',
  displayRank: 'Rank, as it is shown',
  displayDutyTitle: 'Duty, as it is shown',
  civilianGrade: 'Grade in civil service',
  civilianBand: 'Band in civil service',
  jobSeriesNumber: 'Number of the job series',
  jobTitle: 'Title of the job',
} as const

/** What an organisation says about somebody's service: for some users, and each part only where it was given. */
export const SERVICE_FIELDS = Object.keys(SERVICE_ABOUT) as readonly (keyof typeof SERVICE_ABOUT)[]
export type Service = { readonly [Field in keyof typeof SERVICE_ABOUT]?: string }

export const organisationWords = {
  label: 'Organisation',
  none: 'You are not a developer of any organisation yet',
  noneText: 'Ask an owner to add you as a developer, or an administrator to create an organisation.',
  missing: 'Choose an organisation',
  noneFound: 'No organisation of yours has that name',
}

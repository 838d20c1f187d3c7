/** The roles in an organisation that make a person a trainer. */
export const TRAINER_ROLES: readonly string[] = ['instructor', 'trainer', 'teacher']
/** The roles in an organisation that make a person a trainee. */
export const TRAINEE_ROLES: readonly string[] = ['student', 'trainee', 'learner']

/** Roles in organisations that make a person a trainer or a trainee. */
export const TRAINER_ROLES: readonly string[] = ['instructor', 'trainer', 'teacher']
export const TRAINEE_ROLES: readonly string[] = ['student', 'trainee', 'learner']

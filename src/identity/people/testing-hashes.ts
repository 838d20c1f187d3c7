/*
 * Hashes of one password, produced by other programs: Django 5.2, Werkzeug, passlib, argon2 (Debian), htpasswd,
 * mkpasswd, OpenSSL, python-bcrypt. Those for Canvas and Keycloak were computed with hashlib, argon2-cffi and
 * node:crypto, following the formats in the source code of Canvas, the scrypt gem and Keycloak.
 */

export const HASHED_PASSWORD = 'Vögel fliegen 7'

export const FOREIGN_HASHES: Readonly<Record<string, string | Record<string, unknown>>> = {
  'Django PBKDF2': 'pbkdf2_sha256$1000000$E7OarOxcJJddJ4OcsUdQlh$zJr4VTY9Qj3FNOMCyr0L6YPZuN/iqzXSIRdhR1N6lF0=',
  'Django argon2':
    'argon2$argon2id$v=19$m=102400,t=2,p=8$a2NCRUtHMjFpSkRjblVFRDBUNUlsbQ$D8/uBdn7MH8+br2Eps99NBTBKUCjkvEd5e3fJo3qA5U',
  'Django bcrypt with SHA-256': 'bcrypt_sha256$$2b$12$aJ8fjxlp/4Gxc6/feCzev.mqtB7Mar3kdumCZP8PzOjH7i1m1h3Jq',
  'Django bcrypt': 'bcrypt$$2b$12$UUeJrdeQx2kEOOYlZ3QdtOLxHXfiDnz51rfKOw/OQ5i66lJa/DhLq',
  'Django scrypt':
    'scrypt$16384$ZF1U0aGZQvohfp6vBAkizq$8$5$qwGLuIjVqbJr29QUoAcMlqyIX9cJtK6p1P3GVJ5wFn8pxVNH4G1axZc+PvCwT/LPGN+bqY+i7NBFbordVa86sg==',
  'Werkzeug scrypt':
    'scrypt:32768:8:1$i08I8H5SYYvDBR7X$774aa986be335912cd1f2a84d8e165e5e3fc04f6ab743e3d048546e355167560b658b1da3104f7f08c6e07409ef1e7135058b3affed83bdb5a3227ecfd6b2ebd',
  'Werkzeug PBKDF2':
    'pbkdf2:sha512:20000$X6L2jVLgNWt4jPgL$ebc0825b6e32a65743ab2309b5a17f5000b82d58461d12090663155daa257f097f98703203750f22119f496d15217c5d614470dc3b1defdfe9e6c94800303007',
  'passlib PBKDF2-SHA256': '$pbkdf2-sha256$29000$4rz3fu.dk7KWkvIeQyillA$6rMkN19B0Exmdc5dfNBDZD4tPGLheTLhHV/dE4aBFy4',
  'passlib PBKDF2-SHA512':
    '$pbkdf2-sha512$25000$dS4FoDRGaE2JcU4JQagVAg$Aa7UQKWFKKqnTIhbaueu2bCFs1lsn1kd08RYIGgRzUoSUsjxusmp8dkMJe3P0ghygGP7JUuByt0AAy/Rr.5Gqg',
  'PHC scrypt': '$scrypt$ln=14,r=8,p=1$ae39f4/RmhPCmLN2rjWGEA$TikKGc2atorR2ZojjiZoGpvDWu8lv4q5kvuAvLew9fw',
  'PHC argon2id': '$argon2id$v=19$m=4096,t=3,p=2$c2l4dGVlbiBieXRlcyBvaw$/fyNCwY2LAy4xGUmWenlYYiUn5AElE3kc65ZpQcG/js',
  'PHC argon2i': '$argon2i$v=19$m=4096,t=3,p=2$c2l4dGVlbiBieXRlcyBvaw$xwaPt1q8KC2gQCnWfe4lAh8PYltxPx1RTXWavBBs8dE',
  'PHC argon2d': '$argon2d$v=19$m=4096,t=3,p=2$c2l4dGVlbiBieXRlcyBvaw$6W6xSLMFTQBp8mBQTqqKZinGeEg7KBdy6r3/9gVlJzw',
  'bcrypt $2y$ (htpasswd, Moodle, PHP)': '$2y$10$pJ.i7SsSNwu0V2JZDGfRuuAoteu1HVYa6xIoX3FQ6B4VhAWDY/6A6',
  'bcrypt $2b$': '$2b$10$6q3tRvm.mg3VBJEtt3W0zOiX6ad8X8CUX7.Wtco5vfe6j0JePEBj2',
  'bcrypt $2a$': '$2a$08$CjHPGO.tXS5qHbhqjKOSXudcmPCpCb9f0RYb1swSw3Sti9lF10GIy',
  'Moodle sha512-crypt':
    '$6$rounds=10000$L/6WvGO1d8vcaTMH$gew95RWCxNo/O9ptOeEBZx7AC7Wtn21Hj4JH2SPlDFCArNUx36ohkbN9bPGMK6IqWAHzIdqjHZo..JF8yaJne.',
  'sha512-crypt (OpenSSL)':
    '$6$BEYX0d7xWVngwExL$HxXjEpYXTEtEpZ1L5ryKJbHFZq05hiu65v2YDwCR7UqPtAzEWJ7PmSXhyq0fc5u7clyfLyZHCOxbvGDcygmjL.',
  'scrypt gem':
    '4000$8$1$0eb0ed099626d931a5fb07748b19d79f$3287477d851516ccb2b30f728aab1fb1e9785bfff2a677647a5ae94e2cb24c8c',
  Canvas: {
    crypted_password:
      '4000$8$1$0eb0ed099626d931a5fb07748b19d79f$47d86cf73a67847bc1283e79623c3a42b30d70822acb1b7b03520a97ae6db1e7',
    password_salt: 'xSJCOlkHvbYvJHvfJuLp',
  },
  'Canvas with a salt that begins with zeros': {
    crypted_password:
      '4000$8$1$0000ed099626d931a5fb07748b19d79f$736f11c2626b91b3cd6bb3d191f60e56b8237ade8d82c751866b183cf571fa13',
    password_salt: 'xSJCOlkHvbYvJHvfJuLp',
  },
  'Keycloak PBKDF2-SHA256': {
    type: 'password',
    credentialData: '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
    secretData:
      '{"value":"wJ8LMZ81G3b4bu0DGavTYCpVLvSrFrfOeh4eJfAEhoAGOVDagzmErteS7+CSc+IOtrX72T+C4pwKMej1Cd+33w==","salt":"DrDtCZYm2TGl+wd0ixnXnw==","additionalParameters":{}}',
  },
  'Keycloak PBKDF2-SHA512': {
    type: 'password',
    credentialData: '{"hashIterations":210000,"algorithm":"pbkdf2-sha512","additionalParameters":{}}',
    secretData:
      '{"value":"N6N0sJBe+fAfrmNWjtpl8YhXNztYmFauAUTjAc/sbRSU8ini7m/Oj9fjUtkAQfJI52n+T4BNgL0kUrEEJBN4Zg==","salt":"DrDtCZYm2TGl+wd0ixnXnw==","additionalParameters":{}}',
  },
  'Keycloak argon2': {
    type: 'password',
    credentialData:
      '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
    secretData:
      '{"value":"a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8=","salt":"DrDtCZYm2TGl+wd0ixnXnw==","additionalParameters":{}}',
  },
  'Keycloak argon2 with 64 MiB and 2 lanes': {
    type: 'password',
    credentialData:
      '{"hashIterations":3,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["65536"],"type":["id"],"version":["1.3"],"parallelism":["2"]}}',
    secretData:
      '{"value":"bXHnIoEW9Q12y/v9OwOog0xWirtIZyM3CUaTr6kwD50=","salt":"DrDtCZYm2TGl+wd0ixnXnw==","additionalParameters":{}}',
  },
  'Keycloak argon2i': {
    type: 'password',
    credentialData:
      '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["i"],"version":["1.3"],"parallelism":["1"]}}',
    secretData:
      '{"value":"rlraAaJWFkkzAdKuTnLcoei6xzbT5+WrpW5GFivghNs=","salt":"DrDtCZYm2TGl+wd0ixnXnw==","additionalParameters":{}}',
  },
  'Keycloak argon2d': {
    type: 'password',
    credentialData:
      '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["d"],"version":["1.3"],"parallelism":["1"]}}',
    secretData:
      '{"value":"7jfmdvMHKu5KDRb9GZHxXfNL7Cjy8CcjNJHswrZhucc=","salt":"DrDtCZYm2TGl+wd0ixnXnw==","additionalParameters":{}}',
  },
  'Keycloak, fields alone': {
    algorithm: 'pbkdf2-sha256',
    hashIterations: 20000,
    salt: 'DrDtCZYm2TGl+wd0ixnXnw==',
    value: 'ddxDxWTh0noC+lAYoWZpefNF7whGIv65es8SfkrkW5U=',
  },
}

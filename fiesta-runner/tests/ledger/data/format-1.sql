-- A ledger of format 1: a study of twelve evaluations whose controller was killed on the way.
BEGIN TRANSACTION;
CREATE TABLE entry (
        sequence   INTEGER PRIMARY KEY,
        at         REAL NOT NULL,
        kind       TEXT NOT NULL,
        evaluation INTEGER,
        body       TEXT NOT NULL
    ) STRICT;
INSERT INTO "entry" VALUES(1,1.79531467071645593636e+09,'opened',NULL,'{"kind":"opened","version":"0.1.0","host":"somewhere","study":{"name":"trial","command":["sh","score.sh","{arm}","{split}","{seed}"],"metric":{"name":"accuracy","direction":"maximize","bounds":[0.0,1.0],"f_beta":null},"goal":{"confidence":null,"tolerance":null,"min_documents":null,"budget":{"evaluations":12,"cost":null,"wall":null},"trials":null},"design":{"splits":"shared","documents":null,"policy":"ttts","posterior":"pooled","alpha":null,"stopping":"posterior","parallel":2,"batch":null,"beta":null,"tie_break":null,"extended":null,"seed":1},"resources":{"gpus_per_job":null,"timeout":"1m","grace":null,"retries":null},"executor":{"kind":"local","gpus":null},"report":{"code":null,"data":null,"validation_metric":null,"selection_criterion":null},"arm":[{"name":"low","command":null,"env":{},"gpus_per_job":null,"cost":null},{"name":"mid","command":null,"env":{},"gpus_per_job":null,"cost":null},{"name":"high","command":null,"env":{},"gpus_per_job":null,"cost":null}]}}');
INSERT INTO "entry" VALUES(2,1.79531467072029447557e+09,'decided',0,'{"kind":"decided","evaluation":{"id":0,"arm":0,"case":{"split":0,"seed":851488949}}}');
INSERT INTO "entry" VALUES(3,1.79531467072030615807e+09,'decided',1,'{"kind":"decided","evaluation":{"id":1,"arm":1,"case":{"split":0,"seed":311779196}}}');
INSERT INTO "entry" VALUES(4,1.795314671036952734e+09,'clock',NULL,'{"kind":"clock","seconds":0.31667355}');
INSERT INTO "entry" VALUES(5,1795314671.03698,'ended',0,'{"kind":"ended","evaluation":0,"attempt":0,"outcome":{"observed":0.629},"cost":0.313697638,"seconds":0.313697638,"end":{"exited":0},"extras":{"epochs":2}}');
INSERT INTO "entry" VALUES(6,1.79531467103698372843e+09,'decided',2,'{"kind":"decided","evaluation":{"id":2,"arm":2,"case":{"split":0,"seed":576987678}}}');
INSERT INTO "entry" VALUES(7,1.7953146710392041207e+09,'clock',NULL,'{"kind":"clock","seconds":0.318954611}');
INSERT INTO "entry" VALUES(8,1.79531467103922057152e+09,'ended',1,'{"kind":"ended","evaluation":1,"attempt":0,"outcome":{"observed":0.686},"cost":0.310330504,"seconds":0.310330504,"end":{"exited":0},"extras":{"epochs":8}}');
INSERT INTO "entry" VALUES(9,1.7953146710392239093e+09,'decided',3,'{"kind":"decided","evaluation":{"id":3,"arm":0,"case":{"split":1,"seed":582921564}}}');
INSERT INTO "entry" VALUES(10,1.79531467134465575223e+09,'clock',NULL,'{"kind":"clock","seconds":0.624369986}');
INSERT INTO "entry" VALUES(11,1.79531467134468173977e+09,'ended',2,'{"kind":"ended","evaluation":2,"attempt":0,"outcome":{"observed":0.738},"cost":0.3031349,"seconds":0.3031349,"end":{"exited":0},"extras":{"epochs":0}}');
INSERT INTO "entry" VALUES(12,1.7953146713446848392e+09,'decided',4,'{"kind":"decided","evaluation":{"id":4,"arm":1,"case":{"split":1,"seed":589893790}}}');
INSERT INTO "entry" VALUES(13,1.79531467134679102899e+09,'clock',NULL,'{"kind":"clock","seconds":0.626542713}');
INSERT INTO "entry" VALUES(14,1.79531467134680652614e+09,'ended',3,'{"kind":"ended","evaluation":3,"attempt":0,"outcome":{"observed":0.604},"cost":0.303853079,"seconds":0.303853079,"end":{"exited":0},"extras":{"epochs":6}}');
INSERT INTO "entry" VALUES(15,1.79531467134680938722e+09,'decided',5,'{"kind":"decided","evaluation":{"id":5,"arm":2,"case":{"split":1,"seed":790605677}}}');
COMMIT;
PRAGMA user_version = 1;
